/*
 * narrow.js - lays out wide figures for a narrow screen: as wide as the screen,
 * with text of the same size, and the names of the lines below the plot.
 */
const narrow = (() => {
  const WIDTH = 340, HEIGHT = 260, TOP = 46, LEFT = 58;
  const ROW = 24; /* of names, each of which is a button */
  const screen = matchMedia("(max-width:36rem)");

  const attributes = (view) =>
    ["viewBox", "width", "height", "data-box"].map(
      (name) => [name, view.svg.getAttribute(name)]);

  function lay_out(view) {
    const rows = Math.ceil(view.data.series.filter((s) => s.label).length / 2);
    const height = TOP + HEIGHT + 56 + ROW * rows;
    view.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    view.svg.setAttribute("width", WIDTH);
    view.svg.setAttribute("height", height);
    view.svg.dataset.box = `${LEFT} ${TOP} ${WIDTH - LEFT - 14} ${HEIGHT}`;
  }

  function set(view, on) {
    if (!view.wide || Boolean(view.narrow) === on)
      return;
    view.narrow = on;
    if (on)
      lay_out(view);
    else
      for (const [name, value] of view.wide)
        view.svg.setAttribute(name, value);
    view.svg.parentNode.classList.toggle("wide", !view.narrow);
    views.measure(view);
    scale.draw(view);
  }

  function add(view) {
    const { data } = view; /* panels side by side need their width */
    if (data.kind !== "curves" || view.made || data.marks.length > 2 ||
        !view.svg.parentNode.classList.contains("wide"))
      return;
    view.wide = attributes(view);
    set(view, screen.matches);
  }

  function start() {
    views.on_wake.push(add);
    const all = (on) => views.all.forEach((view) => set(view, on));
    screen.addEventListener("change", () => all(screen.matches));
    addEventListener("beforeprint", () => all(false));
    addEventListener("afterprint", () => all(screen.matches));
  }

  /* The font size at which a title fits the screen. */
  const title_size = (data) => Math.min(13.5, (WIDTH - 24) / Math.max(
    .58 * (data.title || "").length, (data.title_zh || "").length));

  return { start, title_size, WIDTH, ROW };
})();
