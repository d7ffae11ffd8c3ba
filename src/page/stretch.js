/*
 * stretch.js - a slider below a learned table interpolates its rows to other
 * lengths, as 'locant resize' does.
 */
const stretch = (() => {
  /* The number of rows of a learned table, which its card states; else NaN. */
  const reach_of = (view) => Number((view.svg.closest(".card") || document.body)
    .dataset.reach);

  function draw(view) {
    const { own, n, align } = view.stretch;
    const cells = n === own.rows ? own.cells
      : forms.resized(own.cells, own.cols, n, align);
    const change = n === own.rows ? "" : `, ${own.rows} \u2192 ${n}`;
    const data = { ...own, cells, rows: n, shape: [n, own.cols],
                   title: own.title + change,
                   title_zh: (own.title_zh || own.title) + change };
    view.data = view.transposed ? transpose.transposed(data) : data;
    view.stretched = n !== own.rows;
    view.pin = null;
    transpose.fit(view);
  }

  function add(view) {
    const { data } = view, reach = reach_of(view);
    if (data.name !== "table" || !(reach > 0) || data.rows !== reach ||
        Math.max(...data.pooled) > 1)
      return;
    view.stretch = { own: data, n: data.rows, align: false };
    const row = controls.row(view.tools);
    controls.slider(row, {
      name: "stretch", en: "interpolated to length", zh: "插值到长度",
      least: Math.max(2, Math.round(reach / 4)), most: 4 * reach,
      value: reach }, (n) => {
      view.stretch.n = n;
      draw(view);
    });
    controls.check(row, { name: "stretch-align", value: false,
                          en: "ends on ends (align corners)",
                          zh: "端点对齐（align corners）" }, (on) => {
      view.stretch.align = on;
      draw(view);
    });
  }

  function start() {
    views.on_wake.push(add);
  }

  return { start };
})();
