/*
 * picks.js - draws the cell pinned in a table of positions and channels: its
 * column in the figure of channels, its row in the figure of vectors.
 */
const picks = (() => {
  /* The line through the pin along which 'quantity' is constant: the column of a
     channel, the row of a position. */
  function line_of(view, quantity) {
    const { data } = view, [rows, cols] = data.shape;
    const across = views.quantity(data.x_label) === quantity;
    const fixed = across ? view.pin.col : view.pin.row;
    const n = across ? rows : cols;
    const x = [], y = [];
    for (let i = 0; i < n; i++) {
      const place = across ? { row: i, col: fixed } : { row: fixed, col: i };
      x.push(across ? views.at_row(data, i) : views.at_col(data, i));
      y.push(views.cell(data, place));
    }
    return { x, y };
  }

  const color = 8;

  /* Adds the line to the data of the other figure. */
  function add_line(view, other, quantity, zh) {
    const value = views.quantities(view, view.pin)[quantity];
    const pooled = Math.max(...view.data.pooled) > 1;
    other.data = { ...other.plain, series: [...other.plain.series, {
      ...line_of(view, quantity), color, dashed: 0, marks: false,
      label: `pinned: ${quantity} ${value}${pooled ? ", pooled" : ""}`,
      label_zh: `固定：${zh} ${value}${pooled ? "（合并）" : ""}` }] };
  }

  /* Draws the other figure again, with the pinned line or without it. */
  function show(view, other, quantity, zh) {
    views.wake(other);
    if (!other.plain) {
      if (!view.pin)
        return;
      other.plain = other.data;
      other.plain_range = { ...other.svg.dataset };
    }
    other.pin = null;
    other.only = null;
    if (view.pin)
      add_line(view, other, quantity, zh);
    else
      other.data = other.plain;
    if (view.pin)
      chart.set_frame(other.svg, other.data,
                 other.svg.getAttribute("viewBox").split(" ").slice(2)
                   .map(Number));
    else
      Object.assign(other.svg.dataset, other.plain_range);
    views.measure(other);
    scale.draw(other);
  }

  function pinned(view) {
    if (view.data.name !== "table")
      return;
    for (const other of views.all)
      if (other.scope === view.scope && other.data.name === "channels")
        show(view, other, "channel", "通道");
      else if (other.scope === view.scope && other.data.name === "vectors")
        show(view, other, "position", "位置");
  }

  function start() {
    views.on_pin.push(pinned);
  }

  return { start };
})();
