/*
 * views.js - the figures of the page.
 *
 * A view joins the numbers of a figure (from the JSON in the page, or computed
 * by the script) with its <svg>, whose data-* attributes say where the plot
 * lies.  A place is one value of a figure: {row, col} of a map, {series, index}
 * of any other.
 */
const views = (() => {
  const all = [];
  const on_wake = [], on_pin = []; /* actions, each called with a view */
  const page = JSON.parse(document.getElementById("locant").textContent);

  /* Unpacks two bytes a cell, the low byte first; 0 is a missing value. */
  function unpack(data) {
    const bytes = atob(data.u16), cells = new Float64Array(bytes.length / 2);
    for (let i = 0; i < cells.length; i++) {
      const u = bytes.charCodeAt(2 * i) | bytes.charCodeAt(2 * i + 1) << 8;
      cells[i] = u === 0 ? NaN
        : data.low + (u - 1) / 65534 * (data.high - data.low);
    }
    return cells;
  }

  /* Unpacks a map and sets its shape, the rows and columns after pooling. */
  function prepare(data) {
    if (data.kind !== "heatmap" || data.cells)
      return;
    data.shape = [Math.ceil(data.rows / data.pooled[0]),
                  Math.ceil(data.cols / data.pooled[1])];
    data.cells = unpack(data);
    delete data.u16;
  }

  /* Reads the box of the plot and the ranges of its axes from the <svg>. */
  function measure(view) {
    const numbers = (name) => (view.svg.dataset[name] || "0 0").split(" ")
      .map(Number);
    const [x, y, width, height] = numbers("box");
    view.box = { x, y, width, height };
    view.x = (view.data.log_x ? d3.scaleLog() : d3.scaleLinear())
      .domain(numbers("x")).range([x, x + width]);
    view.y = d3.scaleLinear().domain(numbers("y")).range([y + height, y]);
  }

  /* Figures with the same scope show the same things: one encoding, or all
     runs. */
  function scope_of(element) {
    return element.closest(".card") || document.querySelector("main");
  }

  function add(svg, data) {
    const view = { svg, data, scope: scope_of(svg), awake: false, pin: null,
                   only: null, range: null, log: false };
    all.push(view);
    return view;
  }

  function wake(view) {
    if (view.awake)
      return;
    view.awake = true;
    prepare(view.data);
    measure(view);
    for (const action of on_wake)
      action(view);
  }

  /* A figure becomes live when it is about to be seen, so that a page with many
     figures opens at once.  Its drawing is in the document from the start, so
     that a screenshot of the whole page has it. */
  function watch() {
    addEventListener("beforeprint", () => all.forEach(wake));
    if (!("IntersectionObserver" in window)) {
      all.forEach(wake);
      return;
    }
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) {
          wake(all.find((view) => view.svg === entry.target));
          observer.unobserve(entry.target);
        }
    }, { rootMargin: "600px" });
    all.forEach((view) => observer.observe(view.svg));
  }

  /* Pairs each drawing with its numbers, which are in the same order in the
     JSON; a figure without numbers there stays static. */
  function start() {
    let next = 0;
    for (const svg of document.querySelectorAll("figure > svg.fig")) {
      const data = page.figures[next];
      if (data && data.kind === svg.dataset.kind &&
          data.name === svg.dataset.name) {
        if (data.kind === "curves") /* a series without x has the previous one's */
          data.series.forEach((s, i) => { s.x = s.x || data.series[i - 1].x; });
        add(svg, data);
        next++;
      }
    }
  }

  /* ------------------------------------------------------------- numbers */

  /* The value on the axis of the first row, or column, of a pooled cell. */
  function at_row(data, row) {
    return data.y_first + data.y_step * row * data.pooled[0];
  }

  function at_col(data, col) {
    return data.x_first + data.x_step * col * data.pooled[1];
  }

  function cell(data, place) {
    return data.cells[place.row * data.shape[1] + place.col];
  }

  /* Numbers as src/files/decimal.c writes them, with a typographic minus: powers
     of ten where there would be many digits, and no sign before a zero. */
  function power(value, digits) {
    return value.toExponential(digits).replace(/(\.\d*?)0+e/, "$1e")
      .replace(".e", "e").replace("e+", "e").replace(/^-/, "\u2212");
  }

  const is_far = (value) => Math.abs(value) >= 1e7 ||
    (value !== 0 && Math.abs(value) < 1e-5);

  function fixed(value, decimals) {
    if (is_far(value))
      return power(value, 3);
    const text = value.toFixed(decimals);
    return Number(text) === 0 ? text.replace("-", "")
      : text.replace("-", "\u2212");
  }

  /* A number with five digits; a whole number with all of its digits. */
  function number(value) {
    if (value === null || value === undefined || Number.isNaN(value))
      return words.say("undefined", "未定义");
    return is_far(value) ? power(value, 3)
      : String(Number.isInteger(value) ? value : Number(value.toPrecision(5)))
        .replace("-", "\u2212");
  }

  const text_of = (object, name) =>
    words.language() === "zh" && object[name + "_zh"] || object[name] || "";

  /* The name of series i.  A line without a label takes the name of the labelled
     line of its colour: it is another seed, or the same model with its own
     window. */
  function name_of(data, i) {
    const own = data.series[i];
    const kin = own.label ? own
      : data.series.find((s) => s.label && s.color === own.color);
    if (!kin)
      return "";
    return text_of(kin, "label") +
           (kin === own ? "" : words.say(" (dashed)", "（虚线）"));
  }

  /* ------------------------------------------------ what axes are called */

  /* the quantity that a label of an axis names */
  const kinds = [[/distance/, "distance"], [/^position/, "position"],
                 [/^channel/, "channel"], [/^pair/, "pair"],
                 [/^query/, "query"], [/^key/, "key"],
                 [/^context length/, "length"], [/^step/, "step"],
                 [/^head/, "head"]];

  function quantity(label) {
    const found = kinds.find(([form]) => form.test(label || ""));
    return found ? found[1] : null;
  }

  /* The quantities of a place: {position: 3, channel: 5}.  Two positions, or a
     query and a key, also have a distance. */
  function quantities(view, place) {
    const data = view.data, out = {};
    if (data.tiles)
      return out;
    const x = quantity(data.x_label), y = quantity(data.y_label);
    if (data.kind === "heatmap") {
      const row = at_row(data, place.row), col = at_col(data, place.col);
      if (x !== null)
        out[x] = col;
      if (y !== null)
        out[y] = row;
      if (x !== null && (x === y || (x === "key" && y === "query")))
        out.distance = x === y ? Math.abs(row - col) : row - col;
    } else if (data.kind === "curves") {
      const series = data.series[place.series];
      if (x !== null)
        out[x] = series.x[place.index];
      if (y !== null)
        out[y] = series.y[place.index];
    }
    return out;
  }

  return { all, page, add, start, prepare, wake, on_wake, on_pin, watch,
           measure,
           at_row, at_col, cell, number, fixed, power, text_of, name_of,
           quantity, quantities };
})();
