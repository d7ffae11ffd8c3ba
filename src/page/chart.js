/*
 * chart.js - draws a figure from its numbers: closed forms, and figures of the
 * page on another scale.  Elements have the classes of the static figures.
 */
const chart = (() => {
  const SHADES = 33; /* LCT_PAGE_SHADES */
  const DIGIT = 6.4; /* width of a digit at font size 11 */
  const dashes = ["", "5 3.5", "2 2.5", "7 2.5 1.5 2.5", "11 4"];

  function put(parent, name, attributes) {
    return d3.select(parent).append(name).each(function set() {
      for (const [key, value] of Object.entries(attributes))
        this.setAttribute(key, value);
    });
  }

  /* The text object[name], in both languages if there are two. */
  function text(parent, object, name, attributes) {
    const zh = object[name + "_zh"];
    if (!object[name])
      return;
    put(parent, "text", { ...attributes,
                          class: attributes.class + (zh ? " en" : "") })
      .text(object[name]);
    if (zh)
      put(parent, "text", { ...attributes, class: attributes.class + " zh" })
        .text(zh);
  }

  /* ---------------------------------------------------------------- axes */

  /* About n ticks; on a logarithmic scale at powers of two. */
  const ticks_of = (scale, log, n) => {
    if (!log)
      return scale.ticks(n);
    const [low, high] = scale.domain(), powers = [];
    const first = Math.ceil(Math.log2(low) - 1e-9);
    const last = Math.floor(Math.log2(high) + 1e-9);
    const every = Math.floor((last - first) / n) + 1;
    for (let k = first; k <= last; k += every)
      powers.push(Math.pow(2, k));
    return powers;
  };

  /* A tick with as many decimals as the step between ticks needs. */
  function tick_text(value, ticks) {
    const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : 1;
    const decimals = Math.min(15, Math.max(
      0, -Math.floor(Math.log10(step) + 1e-9)));
    return views.fixed(value, value === 0 && decimals > 5 ? 0 : decimals);
  }

  const x_text = (data, value, ticks) =>
    data.log_x ? views.number(value) : tick_text(value, ticks);

  /* At most n ticks, fewer if their numbers would touch. */
  function ticks_across({ box, x, data }, n) {
    const whole = data.series && /* such as layers: no ticks between */
      data.series.every((s) => s.x.every(Number.isInteger));
    const ticks = ticks_of(x, data.log_x, n)
      .filter((value) => !whole || Number.isInteger(value));
    const digits = d3.max(ticks, (t) => x_text(data, t, ticks).length);
    return n > 2 && ticks.length * (digits + 1) * DIGIT > box.width
      ? ticks_across({ box, x, data }, n - 2) : ticks;
  }

  function axes(svg, view, grid) {
    const { box, x, y, data } = view, bottom = box.y + box.height;
    const across = ticks_across(view, view.narrow ? 4 : 7);
    const up = y.ticks(view.narrow ? 5 : 7);
    let rules = "", marks = "";
    for (const value of across) {
      rules += `M${x(value)} ${box.y}V${bottom}`;
      marks += `M${x(value)} ${bottom}v4`;
      put(svg, "text", { class: "f ct m", x: x(value), y: bottom + 17,
                         "font-size": 11 }).text(x_text(data, value, across));
    }
    for (const value of up) {
      rules += `M${box.x} ${y(value)}h${box.width}`;
      put(svg, "text", { class: "f ct e", x: box.x - 7, y: y(value) + 4,
                         "font-size": 11 }).text(tick_text(value, up));
    }
    if (grid)
      put(svg, "path", { class: "l cr", "stroke-width": .75, d: rules });
    put(svg, "path", { class: "l ct", "stroke-width": .75,
                       d: marks + (grid ? `M${box.x} ${bottom}h${box.width}`
                                        : "") });
    text(svg, data, "x_label", { class: "f ci m", x: box.x + box.width / 2,
                                 y: bottom + 34, "font-size": 11 });
    text(svg, data, "y_label",
         { class: "f ci m", "font-size": 11,
           transform: `translate(18 ${box.y + box.height / 2})rotate(-90)` });
  }

  /* -------------------------------------------------------------- curves */

  function line(inside, view, series, i) {
    const points = d3.zip(series.x, series.y);
    const ok = (p) => p[0] !== null && p[1] !== null &&
                      Number.isFinite(p[0]) && Number.isFinite(p[1]);
    const color = `c${series.color}`;
    if (series.low)
      put(inside, "path", {
        class: `f ${color}`, "data-s": i, opacity: .13,
        d: d3.area().defined((k) => series.low[k] !== null)
          .x((k) => view.x(series.x[k])).y0((k) => view.y(series.low[k]))
          .y1((k) => view.y(series.high[k]))(d3.range(points.length)) || "" });
    put(inside, "path", {
      class: `l ${color}`, "data-s": i,
      "stroke-width": series.dashed ? 1.75 : 2, "stroke-dasharray": dashes[series.dashed],
      d: d3.line().defined(ok).x((p) => view.x(p[0]))
        .y((p) => view.y(p[1]))(points) || "" });
    if (series.marks)
      put(inside, "path", {
        class: `l ${color}`, "data-s": i, "stroke-width": 6,
        "stroke-linecap": "round",
        d: points.filter(ok).map((p) => `M${view.x(p[0])} ${view.y(p[1])}h0`)
          .join("") });
  }

  /* Labels below the plot, in two columns. */
  function legend_below(svg, view) {
    const { box, data } = view;
    const labelled = data.series.map((series, i) => ({ series, i }))
      .filter((item) => item.series.label);
    labelled.forEach(({ series, i }, k) => {
      const x = 12 + k % 2 * narrow.WIDTH / 2;
      const y = box.y + box.height + 56 + narrow.ROW * Math.floor(k / 2);
      put(svg, "path", { class: `l c${series.color}`, "data-s": i,
                         "stroke-width": 2.5, d: `M${x} ${y}h18`,
                         "stroke-dasharray": dashes[series.dashed] });
      text(svg, series, "label", { class: "f ci", "data-s": i, x: x + 24,
                                   y: y + 4, "font-size": 11 });
    });
  }

  /* Labels beside the ends of the lines, moved apart where they would touch. */
  function legend(svg, view) {
    const { box, data } = view, right = box.x + box.width + 14;
    if (view.narrow) {
      legend_below(svg, view);
      return;
    }
    const items = data.series.map((series, i) => {
      const k = d3.scan(series.x.map((x) => -(x === null ? -Infinity : x)));
      const y = view.y(series.y[k]);
      return { series, i, y: Number.isFinite(y) ? y : box.y + box.height };
    }).filter((item) => item.series.label)
      .sort((a, b) => a.y - b.y);
    const row = Math.min(16, box.height / Math.max(1, items.length));
    let free = box.y + row / 2;
    for (const item of items)
      free = (item.y = Math.max(item.y, free)) + row;
    free = box.y + box.height - row / 2;
    for (const item of items.reverse())
      free = (item.y = Math.min(item.y, free)) - row;
    for (const { series, i, y } of items) {
      put(svg, "path", { class: `l c${series.color}`, "data-s": i,
                         "stroke-width": 2.5, d: `M${right} ${y}h18`,
                         "stroke-dasharray": dashes[series.dashed] });
      text(svg, series, "label",
           { class: "f ci", "data-s": i, x: right + 24, y: y + 4,
             "font-size": 11 });
    }
  }

  function marks(svg, view) {
    view.data.marks.forEach((mark, i) => {
      const x = view.x(mark.x);
      put(svg, "path", { class: "l ci", "stroke-width": 1.2, opacity: .75,
                         "stroke-dasharray": "2 2.5",
                         d: `M${x} ${view.box.y}v${view.box.height}` });
      text(svg, mark, "label", { class: "f ci m", x, "font-size": 11,
                                 y: view.box.y - 7 - 15 * (i % 2) });
    });
  }

  function curves(svg, view) {
    const { box } = view;
    axes(svg, view, true);
    const frame = [box.x - 4, box.y - 4, box.width + 8, box.height + 8];
    const inside = put(svg, "svg", { x: frame[0], y: frame[1],
                                     width: frame[2], height: frame[3],
                                     viewBox: frame.join(" ") }).node();
    view.data.series.forEach((series, i) => line(inside, view, series, i));
    marks(svg, view);
    legend(svg, view);
  }

  /* ---------------------------------------------------------------- maps */

  /* A function from a value to its shade, -1 for NaN; linear or logarithmic. */
  function shade_of(view) {
    const [low, high] = view.range || [view.data.low, view.data.high];
    const scale = view.log
      ? d3.scaleLog().domain([high / 1000, high]).clamp(true)
      : d3.scaleLinear().domain([low, high]).clamp(true);
    scale.range([0, SHADES - 1]);
    return (value) => Number.isNaN(value) ? -1
      : Math.round(view.log ? value > 0 ? scale(value) : 0 : scale(value));
  }

  /* A path for each shade: horizontal runs of equal cells. */
  function cells(svg, view, box, values, rows, cols) {
    const shade = shade_of(view), paths = new Map();
    for (let row = 0; row < rows; row++)
      for (let col = 0, end; col < cols; col = end) {
        const own = shade(values[row * cols + col]);
        for (end = col + 1; end < cols &&
                            shade(values[row * cols + end]) === own;)
          end++;
        paths.set(own, (paths.get(own) || "") +
                        `M${col} ${row + .5}h${end - col}`);
      }
    const group = put(svg, "g", {
      class: "cells", transform: `translate(${box.x} ${box.y})scale(${
        box.width / cols} ${box.height / rows})` }).node();
    for (const [own, d] of paths)
      put(group, "path", { class: own < 0 ? "qn"
                             : (view.data.diverging ? "d" : "q") + own, d });
    put(svg, "rect", { class: "l ct", "stroke-width": .75, ...box });
  }

  function color_bar(svg, view) {
    const [low, high] = view.range || [view.data.low, view.data.high];
    const { box } = view, bar = { x: box.x + box.width + 16, y: box.y,
                                  width: 12, height: box.height };
    const scale = (view.log ? d3.scaleLog().domain([high / 1000, high])
      : d3.scaleLinear().domain([low, high]))
      .range([bar.y + bar.height, bar.y]);
    const ticks = view.log ? [1000, 100, 10, 1].map((s) => high / s)
      : scale.ticks(6);
    cells(svg, view, bar, d3.range(65).map((i) => scale.invert(
      bar.y + bar.height * i / 64)), 65, 1);
    for (const value of ticks)
      put(svg, "text", { class: "f ct", x: bar.x + 19, y: scale(value) + 4,
                         "font-size": 11 })
        .text(view.log ? views.number(value) : tick_text(value, ticks));
  }

  function numbers(svg, view) {
    const { box, data } = view, [rows, cols] = data.shape;
    const shade = shade_of(view), middle = (SHADES - 1) / 2;
    data.cells.forEach((value, i) => {
      const t = data.diverging
        ? Math.abs(shade(value) - middle) / middle
        : shade(value) / (SHADES - 1);
      const size = Math.abs(value);
      if (Number.isNaN(value))
        return;
      put(svg, "text", {
        class: `f m ${t > .55 ? "cg" : "ci"}`, "font-size": 10,
        x: box.x + box.width / cols * (i % cols + .5),
        y: box.y + box.height / rows * (Math.floor(i / cols) + .5) + 3.5
      }).text(views.fixed(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0)
        .replace(/^0\./, "."));
    });
  }

  /* Names of maps that stand side by side: below their columns and left of
     their rows. */
  function tile_names(svg, view) {
    const { tiles, shape } = view.data, { box } = view;
    const wide = tiles.width || tiles.size;
    const middle = (i, size, n) => (i * (size + tiles.gap) + size / 2) / n;
    tiles.across.forEach(([en, zh], i) => text(
      svg, { name: en, name_zh: zh }, "name",
      { class: "f ci m", "font-size": 11, y: box.y + box.height + 17,
        x: box.x + box.width * middle(i, wide, shape[1]) }));
    tiles.down.forEach(([en, zh], i) => text(
      svg, { name: en, name_zh: zh }, "name",
      { class: "f ci m", "font-size": 11, transform: `translate(${box.x - 8} ${
        box.y + box.height * middle(i, tiles.size, shape[0])})rotate(-90)` }));
  }

  function map(svg, view) {
    const { data, box } = view, [rows, cols] = data.shape;
    cells(svg, view, box, data.shown || data.cells, rows, cols);
    if (data.numbers && rows <= 16 && cols <= 16)
      numbers(svg, view);
    else
      color_bar(svg, view);
    if (data.tiles)
      tile_names(svg, view);
    else
      axes(svg, view, false);
  }

  /* --------------------------------------------------------------- whole */

  /* The box of the plot, [x, y, width, height], and the ranges of its axes. */
  function frame(data, size) {
    if (data.kind === "heatmap")
      return { box: [62, 38, size[0] - 62 - 68, size[1] - 38 - 44],
               x: [data.x_first - .5 * data.x_step,
                   data.x_first + (data.cols - .5) * data.x_step],
               y: [data.y_first + (data.rows - .5) * data.y_step,
                   data.y_first - .5 * data.y_step] };
    const finite = (values) => values.filter((v) => v !== null &&
                                                    Number.isFinite(v));
    const xs = finite(d3.merge(data.series.map((s) => s.x))
      .concat(data.marks.map((m) => m.x)));
    const ys = finite(d3.merge(data.series.map((s) => s.y)));
    let [low, high] = data.y_min < data.y_max ? [data.y_min, data.y_max]
      : d3.extent(ys);
    if (low === high)
      [low, high] = [low - 1, high + 1];
    const margin = data.y_min < data.y_max ? 0 : .04 * (high - low);
    const widest = d3.max(data.series, (s) => Math.max(
      (s.label || "").length * 6.4, (s.label_zh || "").length * 9)) || 0;
    const top = data.marks.length > 1 ? 66 : data.marks.length ? 52 : 38;
    const high_px = size[1] - top - 44;
    const wide_px = size[0] - 62 - (widest ? widest + 52 : 20);
    return { box: [62, top, data.square ? Math.min(wide_px, high_px) : wide_px,
                   data.square ? Math.min(wide_px, high_px) : high_px],
             x: data.square ? [low - margin, high + margin] : d3.extent(xs),
             y: [low - margin, high + margin] };
  }

  /* Draws the whole <svg> again, on the scales of the view. */
  function draw(view) {
    const { svg, data } = view;
    const cursors = svg.querySelectorAll(":scope > .cursor, :scope > .linked");
    svg.textContent = "";
    text(svg, data, "title", {
      class: "f ci b", x: 12, y: 20,
      "font-size": view.narrow ? narrow.title_size(data) : 13.5 });
    if (data.kind === "heatmap")
      map(svg, view);
    else
      curves(svg, view);
    svg.append(...cursors);
  }

  /* Writes the box and the ranges into the <svg>, where measure() reads them. */
  function set_frame(svg, data, size) {
    const { box, x, y } = frame(data, size);
    svg.dataset.box = box.join(" ");
    svg.dataset.x = x.join(" ");
    svg.dataset.y = y.join(" ");
  }

  return { draw, set_frame, put };
})();
