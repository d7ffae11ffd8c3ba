/*
 * heads.js - attention of trained heads: a grid of small maps of all heads, and
 * beside it large maps of one head, chosen by sliders or by a click in the grid.
 * The numbers are those of lct_page_maps_data().
 */
const heads = (() => {
  const STATES = ["initial", "trained", "fourfold", "long"], GAP = 2, SMALL = 16;
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" +
                 "0123456789+/";
  const pairs = [];

  const name_of = (group, state) => {
    if (!group[state])
      return ["not defined", "无定义"];
    const { length } = group[state], at = [`at ${length}`, `长度 ${length}`];
    return { initial: ["initial", "训练前"], trained: ["trained", "训练后"],
             fourfold: at, long: at }[state];
  };

  /* The list of all heads' cells, each [rows, bins]; NaN for future keys. */
  function unpack(group, state) {
    const { rows, bins } = group, text = group[state].cells, out = [];
    let at = 0;
    for (let n = 0; n < group.layers * group.heads; n++) {
      const cells = new Float64Array(rows * bins).fill(NaN);
      for (let i = 0; i < rows; i++)
        for (let j = 0; j <= i && j < bins; j++, at += 2) {
          const v = DIGITS.indexOf(text[at]) * 64 + DIGITS.indexOf(text[at + 1]);
          cells[i * bins + j] = v === 4095 ? NaN : v / 1000;
        }
      out.push(cells);
    }
    return out;
  }

  const cells_of = (group, state) => {
    if (group[state] && !group[state].maps)
      group[state].maps = unpack(group, state);
    return group[state] ? group[state].maps : null;
  };

  /* ----------------------------------------------------------------- text */

  const SHOWN = 24;
  let text = "";
  let starts = null; /* of tokens in the text; null: each byte is one */

  /* Tokens first .. last of the text, at most SHOWN; bytes that are invisible as
     hexadecimal codes. */
  function bytes(first, last) {
    const end = Math.min(last + 1, first + SHOWN);
    const at = (token) => starts ? starts[token] : token;
    const shown = text.slice(at(first), at(end)).replace(/ /g, "\u2423")
      .replace(/\n/g, "\\n")
      .replace(/[^!-~\u2423]/g, (c) =>
        `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
    return text && ` \u201c${shown}${end <= last ? "\u2026" : ""}\u201d`;
  }

  /* The queries and keys that a cell of a map of 'size' rows stands for.  A row
     of a small map is the mean of several queries. */
  function over(group, state, size, row, col) {
    if (!group[state])
      return [];
    const { length } = group[state], { rows, bins } = group;
    const down = rows / size, across = bins / size;
    const queries = d3.range(row * down, (row + 1) * down)
      .map((i) => Math.floor((i + 1) * length / rows) - 1);
    const first = Math.ceil(col * across * length / bins);
    const last = Math.ceil((col + 1) * across * length / bins) - 1;
    const [query] = queries, many = queries.length > 1;
    return [`${words.say(many ? "queries" : "query", "查询")} ` +
              (many ? queries.join(", ") : query + bytes(query, query)),
            `${words.say(first < last ? "keys" : "key", "键")} ` +
              (first < last ? `${first}\u2013${last}` : first) +
              bytes(first, last)];
  }

  /* ------------------------------------------------------------- one head */

  /* The part of the title that names the lower maps, if there are any. */
  function below(group) {
    const names = STATES.slice(2).filter((state) => group[state])
      .map((state) => name_of(group, state));
    return names.length === 0 ? ["", ""]
      : [`; below: ${names.map(([en]) => en).join(", ")}`,
         `；下：${names.map(([, zh]) => zh).join("、")}`];
  }

  function draw_one(pair) {
    const { group, one, layer, head } = pair, { rows, bins } = group;
    const shape = [2 * rows + GAP, 2 * bins + GAP];
    const cells = new Float64Array(shape[0] * shape[1]).fill(NaN);
    STATES.forEach((state, k) => {
      const maps = cells_of(group, state);
      if (maps)
        maps[layer * group.heads + head].forEach((value, i) => {
          const row = Math.floor(i / bins) + Math.floor(k / 2) * (rows + GAP);
          cells[row * shape[1] + i % bins + k % 2 * (bins + GAP)] = value;
        });
    });
    const [en, zh] = below(group);
    one.data = { ...one.data, cells, low: 0, high: pair.high,
                 title: `Layer ${layer}, head ${head}: initial, trained${en}`,
                 title_zh: `第 ${layer} 层第 ${head} 头：训练前、训练后${zh}` };
    show(one);
  }

  /* ------------------------------------------------------------ all heads */

  /* One head's map as SMALL x SMALL cells: sums over bins, means over rows. */
  function small(cells, { rows, bins }) {
    const down = rows / SMALL, across = bins / SMALL;
    return Float64Array.from({ length: SMALL * SMALL }, (_, n) => {
      const i = Math.floor(n / SMALL), j = n % SMALL;
      let sum = 0;
      for (let a = i * down; a < (i + 1) * down; a++)
        for (let b = j * across; b < (j + 1) * across; b++)
          sum += b > a ? 0 : cells[a * bins + b];
      return j > i ? NaN : sum / down;
    });
  }

  function draw_all(pair) {
    const { group, grid } = pair, step = SMALL + 1;
    const shape = [group.layers * step - 1, group.heads * step - 1];
    const cells = new Float64Array(shape[0] * shape[1]).fill(NaN);
    cells_of(group, pair.state).forEach((map, n) => {
      const top = Math.floor(n / group.heads) * step;
      const left = n % group.heads * step;
      small(map, group).forEach((value, i) => {
        cells[(top + Math.floor(i / SMALL)) * shape[1] + left + i % SMALL] =
          value;
      });
    });
    const [en, zh] = name_of(group, pair.state);
    grid.data = { ...grid.data, cells, low: 0, high: pair.high,
                  title: `Every head, ${en}`, title_zh: `所有注意力头：${zh}` };
    show(grid);
  }

  function show(view) {
    words.label(view.svg, view.data.title, view.data.title_zh);
    views.measure(view);
    scale.draw(view);
  }

  /* Draws a frame around the head that is shown large. */
  function frame(pair) {
    const { grid, layer, head } = pair, { box } = grid;
    const step = SMALL + 1, [rows, cols] = grid.data.shape;
    const old = grid.svg.querySelector(":scope > .chosen");
    if (old)
      old.remove();
    chart.put(grid.svg, "rect", {
      class: "chosen", x: box.x + box.width * head * step / cols,
      y: box.y + box.height * layer * step / rows,
      width: box.width * SMALL / cols, height: box.height * SMALL / rows });
  }

  /* -------------------------------------------------------------- controls */

  function choose(pair, layer, head) {
    if (layer === pair.layer && head === pair.head)
      return;
    Object.assign(pair, { layer, head });
    pair.layers.put(layer);
    pair.many.put(head);
    draw_one(pair);
    frame(pair);
  }

  function add_controls(pair) {
    const { group, grid, one } = pair;
    const row = controls.row(one.tools);
    pair.layers = controls.slider(row, {
      name: "layer", en: "layer", zh: "层", least: 0, most: group.layers - 1,
      value: pair.layer }, (layer) => choose(pair, layer, pair.head));
    pair.many = controls.slider(row, {
      name: "head", en: "head", zh: "头", least: 0, most: group.heads - 1,
      value: pair.head }, (head) => choose(pair, pair.layer, head));
    controls.select(controls.row(grid.tools), {
      name: "place", en: "of the model", zh: "模型状态", value: pair.state,
      choices: STATES.filter((state) => group[state])
        .map((state) => [state, ...name_of(group, state)]) }, (state) => {
      pair.state = state;
      draw_all(pair);
      frame(pair);
    });
  }

  /* Names the maps in both figures, for tips and for their axes. */
  function add_tiles(pair) {
    const { group, grid, one } = pair;
    const count = (n, en, zh) => Array.from(
      { length: n }, (_, i) => [`${en} ${i}`, `第 ${i} ${zh}`]);
    grid.data.tiles = { size: SMALL, gap: 1,
                        over: (row, col) =>
                          over(group, pair.state, SMALL, row, col),
                        across: count(group.heads, "head", "头"),
                        down: count(group.layers, "layer", "层") };
    one.data.tiles = { size: group.rows, gap: GAP,
                       each: STATES.map((state) => name_of(group, state)),
                       over: (row, col, k) =>
                         over(group, STATES[k], group.rows, row, col),
                       across: [["", ""], ["", ""]],
                       down: [["", ""], ["", ""]] };
  }

  const most = (group) => d3.max(STATES.flatMap((state) =>
    (cells_of(group, state) || []).map((cells) => d3.max(cells))));

  function wake(pair) {
    const { group, grid, one } = pair;
    const found = /layer (\d+), head (\d+)/.exec(
      one.svg.closest("figure").querySelector("figcaption").textContent);
    pair.high = most(group);
    [pair.layer, pair.head] = found ? found.slice(1).map(Number) : [0, 0];
    pair.ready = true;
    views.wake(grid);
    views.wake(one);
    add_tiles(pair);
    add_controls(pair);
    draw_all(pair);
    draw_one(pair);
    frame(pair);
  }

  /* A pin in a small map chooses its head. */
  function pinned(view) {
    const pair = pairs.find((p) => p.grid === view), step = SMALL + 1;
    if (pair && pair.ready && view.pin)
      choose(pair, Math.floor(view.pin.row / step),
             Math.floor(view.pin.col / step));
  }

  function start() {
    const groups = views.page.maps || [];
    text = atob(views.page.text || "");
    if (views.page.spans) {
      starts = [0];
      for (const span of views.page.spans)
        starts.push(starts[starts.length - 1] + span);
    }
    document.querySelectorAll(".heads").forEach((element, i) => {
      const of = (name) => views.all.find((view) => view.data.name === name &&
                                                    element.contains(view.svg));
      if (groups[i] && of("heads") && of("maps"))
        pairs.push({ group: groups[i], grid: of("heads"), one: of("maps"),
                     state: "trained", ready: false });
    });
    for (const pair of pairs)
      for (const view of [pair.grid, pair.one])
        view.made = true;
    views.on_wake.push((view) => {
      const pair = pairs.find((p) => p.grid === view || p.one === view);
      if (pair && !pair.ready)
        wake(pair);
    });
    views.on_pin.push(pinned);
  }

  return { start };
})();
