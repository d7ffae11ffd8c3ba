/* explore.js - sliders, and the figures of closed forms that follow them */
const explore = (() => {
  const state = { position: 8, base: 10000, dim: 32, kind: "yarn-index",
                  factor: 4, length: 128, call: 512, fast: 32, heads: 8, head: 1,
                  buckets: 32, distance: 128 };
  const SIZE = [460, 360];
  const made = [];
  let timer = null;

  /* name, texts, least, most, step; "log": of the power of that base. */
  const sliders = [
    ["position", "position", "位置", 0, 4096, 1],
    ["base", "base", "底数", 1, 7, 0.05, 10],
    ["dim", "channels of a head", "每头通道数", 4, 128, 2],
    ["factor", "factor", "扩展倍数", 1, 32, 0.5],
    ["length", "trained length", "训练长度", 5, 13, 1, 2],
    ["call", "length of the call (dynamic)", "调用长度（动态）", 5, 18, 1, 2],
    ["fast", "turns left alone (YaRN)", "不缩放的圈数（YaRN）", 2, 64, 1],
    ["heads", "heads", "头数", 1, 16, 1],
    ["head", "head", "头", 1, 16, 1],
    ["buckets", "buckets", "桶数", 4, 64, 2],
    ["distance", "distance of the last bucket", "最后一个桶的距离", 6, 10, 1, 2]
  ];

  const power = (v, base) => Number(Math.pow(base, v).toPrecision(3));

  function add_slider(parent, [name, en, zh, least, most, step, base]) {
    const label = document.createElement("label");
    const output = document.createElement("output");
    const input = document.createElement("input");
    const read = () => base === 10 ? power(Number(input.value), 10)
      : base ? Math.pow(base, Number(input.value)) : Number(input.value);
    Object.assign(input, { type: "range", min: least, max: most, step,
                           name: `explore-${name}` });
    input.value = base ? Math.log(state[name]) / Math.log(base) : state[name];
    output.textContent = views.number(state[name]);
    input.addEventListener("input", () => {
      set(name, read());
      output.textContent = views.number(state[name]);
      input.setAttribute("aria-valuetext", output.textContent);
    });
    label.append(output);
    words.both(label, en, zh);
    label.append(input);
    parent.append(label);
    return { name, input, output };
  }

  function add_kinds(parent) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.name = "explore-kind";
    for (const kind of Object.keys(panels.names)) {
      const option = document.createElement("option");
      option.value = kind;
      option.selected = kind === state.kind;
      select.append(option);
    }
    const rename = () => [...select.options].forEach((option) => {
      option.textContent = words.say(...panels.names[option.value]);
    });
    rename();
    words.changed.push(rename);
    select.addEventListener("change", () => set("kind", select.value));
    words.both(label, "scaling", "缩放方式");
    label.append(select);
    parent.append(label);
  }

  /* Another position a quarter second; one, for whom motion is too much. */
  function add_turn(parent, position) {
    const button = document.createElement("button");
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const step = () => {
      position.input.value = (Number(position.input.value) + 1) % 4097;
      position.input.dispatchEvent(new Event("input"));
    };
    button.type = "button";
    button.id = "turn";
    button.setAttribute("aria-pressed", "false");
    words.both(button, "turn", "旋转");
    button.addEventListener("click", () => {
      const running = timer !== null;
      clearInterval(timer);
      timer = null;
      if (still.matches)
        step();
      else if (!running)
        timer = setInterval(step, 250);
      button.setAttribute("aria-pressed", timer !== null);
    });
    parent.append(button);
  }

  function controls(section) {
    const row = document.createElement("div");
    row.className = "controls";
    section.append(row);
    const position = add_slider(row, sliders[0]);
    add_turn(row, position);
    add_kinds(row);
    for (const slider of sliders.slice(1))
      add_slider(row, slider);
  }

  /* ---------------------------------------------------------------- page */

  function add_figure(grid, [make, en, zh]) {
    const box = document.createElement("figure"), data = make(state);
    const caption = document.createElement("figcaption");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "fig");
    svg.setAttribute("viewBox", `0 0 ${SIZE[0]} ${SIZE[1]}`);
    svg.dataset.kind = data.kind;
    svg.dataset.name = data.name;
    words.both(caption, en, zh);
    box.append(svg, caption);
    grid.append(box);
    const view = views.add(svg, data);
    view.made = true;
    made.push([view, make]);
  }

  function heading() {
    const out = document.createElement("h2");
    out.id = "explore";
    return words.both(out, "Closed forms, by sliders", "用滑块探索解析式");
  }

  /* How to use it all, below the contents. */
  function add_hint() {
    const hint = document.createElement("p");
    const nav = document.querySelector("nav");
    words.both(hint, "Point at a figure for its values; a click pins one, " +
                     "arrow keys move it, Escape lets go. A label beside a line " +
                     "leaves that line alone in sight. Tables sort by their " +
                     "headings.",
               "将指针移到图上可查看数值；单击固定，方向键移动，Esc 取消。" +
               "单击曲线旁的标签只显示该曲线。单击表头可排序。");
    hint.className = "hint";
    if (nav)
      nav.after(hint);
  }

  function add_link() {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const before = document.querySelector('nav a[href="#gates"]');
    link.href = "#explore";
    words.both(link, "Sliders", "滑块");
    item.append(link);
    if (before)
      before.parentNode.before(item);
  }

  function start() {
    const section = document.createElement("section");
    const grid = document.createElement("div");
    const gates = document.getElementById("gates");
    state.length = Math.pow(2, Math.round(Math.log2(
      views.page.trained || state.length)));
    state.call = 4 * state.length;
    section.className = "card";
    grid.className = "grid";
    if (gates)
      gates.before(heading(), section);
    else
      document.querySelector("main").append(heading(), section);
    controls(section);
    section.append(grid);
    for (const panel of panels.list)
      add_figure(grid, panel);
    add_link();
    add_hint();
    views.wakes.push((view) => {
      const found = made.find((pair) => pair[0] === view);
      if (found)
        draw(...found);
    });
  }

  /* -------------------------------------------------------------- change */

  function draw(view, make) {
    view.data = make(state);
    words.label(view.svg, view.data.title, view.data.title_zh);
    chart.make(view.svg, view.data, SIZE);
    views.measure(view);
    view.only = null;
    chart.draw(view);
    legend.add(view);
    hover.redraw(view);
  }

  function update() {
    for (const [view, make] of made)
      if (view.awake)
        draw(view, make);
  }

  function set(name, value) {
    state[name] = value;
    state.head = Math.min(state.head, state.heads);
    state.distance = Math.max(state.distance, state.buckets / 2 + 1);
    update();
  }

  return { start };
})();
