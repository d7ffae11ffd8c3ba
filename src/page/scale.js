/* scale.js - one scale for all figures of a name, a logarithmic scale for
   magnitudes, and the check of a bias' sign */
const scale = (() => {
  /* Draws a figure again.  The static drawing is kept, and returns when nothing
     differs from it any more. */
  function draw(view) {
    if (!view.still)
      view.still = [...view.svg.childNodes].filter(
        (node) => !node.classList || !/cursor|linked/.test(
          node.classList.value));
    if (view.range === null && !view.log && !view.made && !view.transposed &&
        !view.stretched && !view.narrow && (!view.plain || view.data === view.plain)) {
      const over = view.svg.querySelectorAll(
        ":scope > .cursor, :scope > .linked");
      views.measure(view);
      view.svg.replaceChildren(...view.still, ...over);
    } else {
      if (view.data.kind === "curves" && view.range)
        view.y.domain(view.range);
      chart.draw(view);
      legend.add(view);
    }
    hover.redraw(view);
  }

  /* The range of values that a figure has without a common scale. */
  function range_of(view) {
    return view.data.kind === "heatmap" ? [view.data.low, view.data.high]
      : view.svg.dataset.y.split(" ").map(Number);
  }

  /* The range that contains those of all figures. */
  function common(alike) {
    const all = alike.map(range_of);
    return [d3.min(all, (r) => r[0]), d3.max(all, (r) => r[1])];
  }

  function lock(alike, on) {
    const range = on ? common(alike) : null;
    for (const view of alike) {
      views.wake(view);
      view.range = range;
      view.same.setAttribute("aria-pressed", on);
      draw(view);
    }
  }

  const lockable = (view) => view.data.name && !view.made &&
    /heatmap|curves/.test(view.data.kind);

  function add_lock(view) {
    const { name } = view.data;
    const alike = views.all.filter((v) => lockable(v) && v.data.name === name);
    const ranges = new Set(alike.map((v) => range_of(v).join(" ")));
    if (!lockable(view) || ranges.size < 2)
      return;
    view.same = tools.toggle(
      view.tools, "same", "same scale", "统一刻度",
      [`same scale for all figures "${name}"`, `所有“${name}”图使用同一刻度`],
      (on) => lock(alike, on));
  }

  function add_log(view) {
    const { data } = view;
    if (data.kind !== "heatmap" || data.diverging || data.low < 0 ||
        data.high <= 0)
      return;
    tools.toggle(view.tools, "log", "log", "对数",
                 ["colours by the logarithm, over three decades",
                  "颜色按对数（三个数量级）"], (on) => {
      view.log = on;
      draw(view);
    });
  }

  function start() {
    views.on_wake.push(add_lock, add_log, add_sign);
  }

  /* Whether every line is at most 0 and falls with distance. */
  const falls = (lines) => lines.every((line) => line.every(
    (y, k) => !Number.isFinite(y) || y <= 0 && (k === 0 || y <= line[k - 1])) &&
    d3.min(line) < 0);

  function add_sign(view) {
    const { data } = view;
    if (data.kind !== "curves" || !/^bias/.test(data.name || ""))
      return;
    const lines = data.series.filter((s) => s.label && s.y.some(Number.isFinite));
    tools.badge(view, ...tools.sign(falls(lines.map((s) => s.y))));
  }

  return { start, draw, falls };
})();
