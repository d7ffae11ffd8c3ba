/* panels_diff.js - the figure of two tables and their difference; a table is one
   of the page, or sinusoids */
const panels_diff = (() => {
  const ROWS = 96, COLS = 64;

  /* The tables of the page: one in each card that has one. */
  const tables = () => views.all.filter((view) => view.data.name === "table");

  const spec_of = (view) => view.scope.querySelector("dd code").textContent;

  const choices = () => [["sinusoid", "sinusoid of the base above",
                          "上方底数的正弦编码"],
                         ...tables().map((view, i) => [`table-${i}`,
                                                       spec_of(view),
                                                       spec_of(view)])];

  /* {rows, cols, at(row, col)} of the table of this name.  A row of a pooled table
     stands for several. */
  function read(name, state) {
    const view = tables()[Number(name.replace("table-", ""))];
    if (!view) {
      const all = d3.range(ROWS).map(
        (p) => forms.sinusoid(p, views.page.width, state.base));
      return { rows: ROWS, cols: views.page.width, at: (i, j) => all[i][j] };
    }
    const data = view.stretch ? view.stretch.own
      : view.transposed ? transpose.transposed(view.data) : view.data;
    views.prepare(data);
    return { rows: data.shape[0], cols: data.shape[1],
             at: (i, j) => data.cells[i * data.shape[1] + j] };
  }

  const most = (matrix) => d3.max(matrix, Math.abs) || 1;

  function diff(state) {
    const a = read(state.left, state), b = read(state.right, state);
    const rows = Math.min(a.rows, b.rows, ROWS);
    const cols = Math.min(a.cols, b.cols, COLS), step = cols + 2;
    const wide = 3 * step - 2, parts = [a.at, b.at,
                                        (i, j) => a.at(i, j) - b.at(i, j)];
    const each = parts.map((at) => Float64Array.from(
      { length: rows * cols }, (_, i) => at(Math.floor(i / cols), i % cols)));
    const cells = new Float64Array(rows * wide).fill(NaN);
    const shown = cells.slice(), high = d3.max(each, most);
    each.forEach((part, t) => part.forEach((value, i) => {
      const to = Math.floor(i / cols) * wide + t * step + i % cols;
      cells[to] = value;
      shown[to] = state.same ? value : value * high / most(part);
    }));
    const all = choices(), name = (own) => all.find((c) => c[0] === own);
    const tops = each.map((part) => views.number(most(part)));
    return panels.map(
      "diff", "Two tables and their difference", "两张表及其差", [rows, wide],
      cells,
      { ...panels.axis("y", "position", "位置"), low: -high, high, shown,
        tiles: { size: rows, width: cols, gap: 2, down: [["", ""]],
                 words: [["position", "位置"], ["channel", "通道"]],
                 across: [["first", "第一张"], ["second", "第二张"],
                          ["difference", "差"]] },
        badge: state.same
          ? [true, `one scale, to ${views.number(high)}`,
             `同一刻度，至 ${views.number(high)}`]
          : [false, `scales to ${tops.join(", ")}`,
             `刻度至 ${tops.join("、")}`],
        names: [name(state.left), name(state.right)].map((c) => c && c[1]) });
  }

  const panel = [diff, "Positions downwards, channels across; the left two are " +
                       "chosen below.",
                 "位置向下，通道向右；左边两张在下方选择。", "diff"];

  return { choices, list: () => tables().length ? [panel] : [] };
})();
