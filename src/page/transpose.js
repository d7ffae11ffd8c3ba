/* transpose.js - exchanges rows and columns of a map */
const transpose = (() => {
  function transposed(data) {
    const [rows, cols] = data.shape;
    const cells = new Float64Array(data.cells.length);
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < cols; j++)
        cells[j * rows + i] = data.cells[i * cols + j];
    return { ...data, cells, shape: [cols, rows], rows: data.cols,
             cols: data.rows, pooled: [data.pooled[1], data.pooled[0]],
             x_label: data.y_label, x_label_zh: data.y_label_zh,
             y_label: data.x_label, y_label_zh: data.x_label_zh,
             x_first: data.y_first, x_step: data.y_step,
             y_first: data.x_first, y_step: data.x_step };
  }

  /* Draws a map again after its rows and columns have changed. */
  function fit(view) {
    const { data } = view;
    const ends = (first, step, n) => [first - .5 * step,
                                      first + (n - .5) * step];
    view.svg.dataset.x = ends(data.x_first, data.x_step, data.cols).join(" ");
    view.svg.dataset.y = ends(data.y_first, data.y_step, data.rows).reverse()
      .join(" ");
    views.measure(view);
    scale.draw(view);
  }

  function exchange(view, on) {
    if (view.pin)
      view.pin = { row: view.pin.col, col: view.pin.row };
    view.data = transposed(view.data);
    view.transposed = on;
    fit(view);
  }

  function add(view) {
    const { data } = view;
    if (data.kind !== "heatmap" || view.made ||
        !/channel|frequency/.test(`${data.x_label} ${data.y_label}`))
      return;
    tools.toggle(view.tools, "transpose", "transpose", "转置",
                 ["rows and columns exchanged", "交换行与列"],
                 (on) => exchange(view, on));
  }

  function start() {
    views.on_wake.push(add);
  }

  return { start, transposed, fit };
})();
