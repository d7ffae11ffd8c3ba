/* legend.js - a click on the label of a line shows that line alone, in every
   figure that has a line of this name */
const legend = (() => {
  /* Series i and the series without a label that belong to it: those of its
     colour (other seeds, its own window).  If i is a label without a line, all
     series without a label belong to it. */
  function family(view, i) {
    const { series } = view.data, own = new Set([i]);
    const line = series[i].y.some(Number.isFinite);
    series.forEach((s, k) => {
      if (!s.label && (!line || s.color === series[i].color))
        own.add(k);
    });
    return own;
  }

  function apply(view) {
    for (const element of view.svg.querySelectorAll("[data-s]"))
      element.classList.toggle("dim", view.only !== null &&
                               !view.only.has(Number(element.dataset.s)));
    for (const item of view.svg.querySelectorAll("[role=button]"))
      item.setAttribute("aria-pressed", view.only !== null &&
                        view.only.has(Number(item.dataset.s)));
  }

  function isolate(view, i) {
    const off = view.only !== null && view.only.has(i);
    const label = view.data.series[i].label;
    for (const other of views.all) {
      if (other.data.kind === "heatmap" || other.scope !== view.scope)
        continue;
      const k = other === view ? i
        : other.data.series.findIndex((s) => s.label === label);
      if (k >= 0) {
        views.wake(other);
        other.only = off ? null : family(other, k);
        apply(other);
      }
    }
  }

  /* Makes each label a button. */
  function add(view) {
    if (view.data.kind === "heatmap" || view.data.series.length < 2)
      return;
    for (const item of view.svg.querySelectorAll(":scope > text[data-s]")) {
      const i = Number(item.dataset.s);
      if (!view.data.series[i] || !view.data.series[i].label ||
          item.classList.contains("ct"))
        continue;
      item.setAttribute("role", "button");
      item.setAttribute("tabindex", "0");
      item.addEventListener("click", () => isolate(view, i));
      item.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          isolate(view, i);
          event.preventDefault();
          event.stopPropagation();
        }
      });
    }
    apply(view);
  }

  function start() {
    views.on_wake.push(add);
  }

  return { start, add };
})();
