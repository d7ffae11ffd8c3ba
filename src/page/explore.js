/* explore.js - sliders, and the figures of closed forms that follow them */
const explore = (() => {
  const state = { position: 8, base: 10000, dim: 32, kind: "yarn-index",
                  factor: 4, length: 128, call: 512, fast: 32, heads: 8, head: 0,
                  buckets: 32, distance: 128, layout: "half", part: "cos",
                  terms: "abcd", order: 1, placed: "no",
                  left: "sinusoid", right: "table-0", same: true };
  const SIZE = [460, 360];
  const made = [];
  let timer = null;

  /* [name, en, zh, least, most, step, log]: see controls.js */
  const sliders = [
    ["position", "position", "位置", 0, 4096, 1],
    ["base", "base", "底数", 1, 7, 0.05, 10],
    ["dim", "channels of a head", "每头通道数", 4, 128, 2],
    ["factor", "factor", "扩展倍数", 1, 32, 0.5],
    ["length", "trained length", "训练长度", 5, 13, 1, 2],
    ["call", "length of the call (dynamic)", "调用长度（动态）", 5, 18, 1, 2],
    ["fast", "turns that YaRN keeps", "不缩放的圈数（YaRN）", 2, 64, 1],
    ["heads", "heads", "头数", 1, 16, 1],
    ["head", "head", "头", 0, 15, 1],
    ["buckets", "buckets", "桶数", 4, 64, 2],
    ["distance", "distance of the last bucket", "最后一个桶的距离", 6, 10, 1, 2]
  ];

  /* name: [en, zh, choices] */
  const selects = {
    kind: ["scaling", "缩放方式",
           Object.entries(panels.names).map(([name, texts]) => [name,
                                                                ...texts])],
    layout: ["pairs are", "通道配对",
             [["half", "channels c and c + D/2", "通道 c 与 c + D/2"],
              ["interleaved", "neighbours", "相邻通道"]]],
    part: ["of each angle", "显示角度的",
           [["cos", "cosine", "余弦"], ["sin", "sine", "正弦"],
            ["angle", "the angle itself", "角度本身"]]],
    placed: ["tokens that are shuffled", "被打乱的词元",
             [["no", "without positions", "不含位置"],
              ["yes", "with sinusoidal positions", "含正弦位置编码"]]]
  };

  const name_of = (name) => `explore-${name}`;

  function add_slider(parent, [name, en, zh, least, most, step, log]) {
    return controls.slider(parent, { name: name_of(name), en, zh, least, most,
                                     step, log, value: state[name] },
                           (value) => set(name, value));
  }

  function add_select(parent, name, [en, zh, choices] = selects[name]) {
    controls.select(parent, { name: name_of(name), en, zh, choices,
                              value: state[name] },
                    (value) => set(name, value));
  }

  /* The four terms of a score, each on or off. */
  function add_terms(parent) {
    for (const [term, en, zh] of panels_terms.names)
      controls.check(parent, { name: name_of(`term-${term}`), en, zh,
                               value: true }, (on) => {
        const rest = state.terms.replace(term, "");
        set("terms", on ? [...rest, term].sort().join("") : rest);
      });
  }

  function add_button(parent, id, en, zh, action) {
    const button = document.createElement("button");
    button.type = "button";
    button.id = id;
    words.both(button, en, zh);
    button.addEventListener("click", () => action(button));
    parent.append(button);
    return button;
  }

  /* Another position every quarter second; a single step for readers who prefer
     reduced motion. */
  function add_rotate(parent, position) {
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const step = () => {
      position.input.value = (Number(position.input.value) + 1) % 4097;
      position.input.dispatchEvent(new Event("input"));
    };
    add_button(parent, "rotate", "rotate", "旋转", (button) => {
      const running = timer !== null;
      clearInterval(timer);
      timer = null;
      if (still.matches)
        step();
      else if (!running)
        timer = setInterval(step, 250);
      button.setAttribute("aria-pressed", timer !== null);
    }).setAttribute("aria-pressed", "false");
  }

  function add_controls(section) {
    const row = controls.row(null, section);
    const position = add_slider(row, sliders[0]);
    add_rotate(row, position);
    add_select(row, "kind");
    for (const slider of sliders.slice(1))
      if (slider[0] !== "head")
        add_slider(row, slider);
  }

  /* Controls of a single figure, which stand below it. */
  const own_controls = {
    shuffle(row) {
      add_button(row, "shuffle", "shuffle the tokens", "打乱词元",
                 () => set("order", state.order + 1));
      add_select(row, "placed");
    },
    terms: add_terms,
    layout(row) {
      add_select(row, "layout");
      add_select(row, "part");
    },
    diff(row) {
      const choices = panels_diff.choices();
      add_select(row, "left", ["first table", "第一张表", choices]);
      add_select(row, "right", ["second table", "第二张表", choices]);
      controls.check(row, { name: name_of("same"), en: "same scale",
                            zh: "统一刻度", value: true },
                     (on) => set("same", on));
    },
    alibi(row) {
      add_slider(row, sliders.find((slider) => slider[0] === "head"));
    }
  };

  /* ---------------------------------------------------------------- page */

  function add_figure(grid, [make, en, zh, own]) {
    const box = document.createElement("figure"), data = make(state);
    const caption = document.createElement("figcaption");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "fig");
    svg.setAttribute("viewBox", `0 0 ${SIZE[0]} ${SIZE[1]}`);
    svg.dataset.kind = data.kind;
    svg.dataset.name = data.name;
    words.both(caption, en, zh);
    box.append(svg, caption);
    if (own)
      own_controls[own](controls.row(svg));
    grid.append(box);
    const view = views.add(svg, data);
    view.made = true;
    made.push([view, make]);
  }

  /* A collapsed section, as those of the file. */
  function add_section() {
    const out = document.createElement("details");
    const summary = document.createElement("summary");
    const heading = document.createElement("h2");
    const section = document.createElement("div");
    const gates = document.getElementById("gates");
    out.className = "part";
    section.id = "explore";
    words.both(heading, "Closed forms, by sliders", "用滑块探索解析式");
    summary.append(heading);
    out.append(summary, section);
    if (gates)
      gates.closest("details").before(out);
    else
      document.querySelector("main").append(out);
    return section;
  }

  /* Adds a note on how to use the figures. */
  function add_hint() {
    const hint = document.createElement("p");
    const reading = document.getElementById("reading");
    words.both(hint, "Point at a figure to see its values; a click pins one, " +
                     "arrow keys move it, Escape releases it. A click on a " +
                     "label beside a line shows that line alone. What is " +
                     "pinned in a table of positions is drawn among the curves " +
                     "beside it. A click on a heading sorts its table.",
               "将指针移到图上可查看数值；单击固定，方向键移动，Esc 取消。" +
               "单击曲线旁的标签只显示该曲线。在位置编码表中固定的通道与位置会" +
               "画在旁边的曲线图中。单击表头可排序。");
    hint.className = "hint";
    if (reading)
      reading.prepend(hint);
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
    state.length = Math.pow(2, Math.round(Math.log2(
      views.page.trained || state.length)));
    state.call = 4 * state.length;
    section.className = "card";
    grid.className = "grid";
    add_section().append(section);
    add_controls(section);
    section.append(grid);
    for (const panel of [...panels.list, ...panels_terms.list,
                         ...panels_diff.list()])
      add_figure(grid, panel);
    add_link();
    add_hint();
    views.on_wake.push((view) => {
      const found = made.find((pair) => pair[0] === view);
      if (found)
        draw(...found);
    });
  }

  /* -------------------------------------------------------------- change */

  function draw(view, make) {
    view.data = make(state);
    words.label(view.svg, view.data.title, view.data.title_zh);
    chart.set_frame(view.svg, view.data, SIZE);
    views.measure(view);
    view.only = null;
    chart.draw(view);
    legend.add(view);
    hover.redraw(view);
    if (view.data.badge)
      tools.badge(view, ...view.data.badge);
  }

  function update() {
    for (const [view, make] of made)
      if (view.awake)
        draw(view, make);
  }

  function set(name, value) {
    state[name] = value;
    state.head = Math.min(state.head, state.heads - 1);
    state.distance = Math.max(state.distance, state.buckets / 2 + 1);
    update();
  }

  return { start };
})();
