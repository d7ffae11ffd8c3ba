/* scale.js - one scale for all figures of a name, and a logarithmic one for
   magnitudes */
const scale = (() => {
  /* The static drawing is kept, to be put back. */
  function draw(view) {
    if (!view.still)
      view.still = [...view.svg.childNodes].filter(
        (node) => !node.classList || !/cursor|linked/.test(
          node.classList.value));
    if (view.range === null && !view.log && !view.made) {
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

  /* What holds every figure of them. */
  function common(alike) {
    const low = d3.min(alike, (v) => v.data.kind === "heatmap"
      ? v.data.low : Number(v.svg.dataset.y.split(" ")[0]));
    const high = d3.max(alike, (v) => v.data.kind === "heatmap"
      ? v.data.high : Number(v.svg.dataset.y.split(" ")[1]));
    return [low, high];
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

  /* A frame that is fixed is common already. */
  const lockable = (view) => view.data.name && !view.made &&
    /heatmap|curves/.test(view.data.kind) &&
    !(view.data.y_min < view.data.y_max);

  function add_lock(view) {
    const { name } = view.data;
    const alike = views.all.filter((v) => lockable(v) && v.data.name === name);
    if (!lockable(view) || alike.length < 2)
      return;
    view.same = tools.toggle(view.tools, "same scale", "统一刻度",
                             (on) => lock(alike, on));
    view.same.dataset.tool = "same";
    words.label(view.same, `same scale for all figures "${name}"`,
                `所有“${name}”图使用同一刻度`);
  }

  function add_log(view) {
    const { data } = view;
    if (data.kind !== "heatmap" || data.diverging || data.low < 0 ||
        data.high <= 0)
      return;
    const button = tools.toggle(view.tools, "log", "对数", (on) => {
      view.log = on;
      draw(view);
    });
    button.dataset.tool = "log";
    words.label(button, "colours by the logarithm, over three decades",
                "颜色按对数（三个数量级）");
  }

  function start() {
    views.wakes.push(add_lock, add_log);
  }

  return { start };
})();
