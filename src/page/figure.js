/* figure.js - finds the place (see views.js) near a point of a figure, locates and
   describes it, and moves it by arrow keys */
const figure = (() => {
  const finite = (v) => v !== null && v !== undefined && Number.isFinite(v);

  /* Height of a row of bars, strips or points. */
  function row_height(view) {
    return Math.min(view.box.height / view.data.series.length, 34);
  }

  function near_cell(view, px, py) {
    const { box } = view, [rows, cols] = view.data.shape;
    const col = Math.floor((px - box.x) / box.width * cols);
    const row = Math.floor((py - box.y) / box.height * rows);
    return col >= 0 && col < cols && row >= 0 && row < rows ? { row, col }
                                                            : null;
  }

  /* The point [x, y] of a value of a series; null if it is not finite. */
  function point(view, place) {
    const series = view.data.series[place.series], y = series.y[place.index];
    if (view.data.kind !== "curves")
      return finite(y) ? [view.x(y), view.box.y + row_height(view) *
                                                  (place.series + .5)] : null;
    const x = series.x[place.index];
    return finite(x) && finite(y) ? [view.x(x), view.y(y)] : null;
  }

  const shown = (view, i) => !view.only || view.only.has(i);

  function near_value(view, px, py) {
    let best = null, least = Infinity;
    view.data.series.forEach((series, s) => {
      for (let k = 0; shown(view, s) && k < series.y.length; k++) {
        const at = point(view, { series: s, index: k });
        const distance = at ? (at[0] - px) ** 2 + (at[1] - py) ** 2
          : Infinity;
        if (distance < least) {
          least = distance;
          best = { series: s, index: k };
        }
      }
    });
    return best;
  }

  /* The place nearest to a point of the drawing; null if that is off the plot. */
  function near(view, px, py) {
    const { box } = view;
    if (px < box.x - 8 || px > box.x + box.width + 8 || py < box.y - 8 ||
        py > box.y + box.height + 8)
      return null;
    return view.data.kind === "heatmap" ? near_cell(view, px, py)
                                        : near_value(view, px, py);
  }

  /* ---------------------------------------------------------------- words */

  const colon = () => words.say(": ", "：");

  /* "12", or "12-13" for two pooled rows. */
  function index_text(first, step, pooled) {
    const last = first + step * (pooled - 1);
    return pooled > 1 ? `${views.number(first)}\u2013${views.number(last)}`
      : views.number(first);
  }

  function indices(tiles, row, col) {
    const [y, x] = tiles.words || [["query", "查询"], ["key", "键"]];
    return [`${words.say(...y)} ${row}`, `${words.say(...x)} ${col}`];
  }

  /* Describes a cell of maps side by side: the map, and the place in it. */
  function tile_text(view, place) {
    const { tiles } = view.data, down = tiles.size + tiles.gap;
    const across = (tiles.width || tiles.size) + tiles.gap;
    const i = Math.floor(place.row / down), j = Math.floor(place.col / across);
    const k = i * tiles.across.length + j;
    const row = place.row % down, col = place.col % across;
    const names = tiles.each ? [tiles.each[k]]
      : [tiles.down[i], tiles.across[j]];
    const own = names.filter((name) => name && name[0])
      .map((name) => words.say(...name));
    if (row >= tiles.size || col >= (tiles.width || tiles.size))
      return words.say("between two maps", "两图之间");
    const where = tiles.over ? tiles.over(row, col, k)
      : indices(tiles, row, col);
    return [...own, ...where].join(", ") + colon() +
           views.number(views.cell(view.data, place));
  }

  function cell_text(view, place) {
    const { data } = view;
    if (data.tiles)
      return tile_text(view, place);
    const row = data.row_names ? data.row_names[place.row * data.pooled[0]]
      : index_text(views.at_row(data, place.row), data.y_step, data.pooled[0]);
    const col = data.col_names ? data.col_names[place.col * data.pooled[1]]
      : index_text(views.at_col(data, place.col), data.x_step, data.pooled[1]);
    const y = views.text_of(data, "y_label") || words.say("row", "行");
    const x = views.text_of(data, "x_label") || words.say("column", "列");
    return `${y} ${row}, ${x} ${col}${colon()}` +
           views.number(views.cell(data, place));
  }

  function value_text(series, k) {
    const band = series.low && finite(series.low[k])
      ? ` [${views.number(series.low[k])}, ${views.number(series.high[k])}]`
      : "";
    return views.number(series.y[k]) + band;
  }

  /* Describes a place in one line, for a screen reader. */
  function say(view, place) {
    const { data } = view;
    if (data.kind === "heatmap")
      return cell_text(view, place);
    const series = data.series[place.series];
    const name = views.name_of(data, place.series);
    const value = value_text(series, place.index);
    if (data.kind !== "curves")
      return `${name}${colon()}${value}`;
    return `${name ? name + colon() : ""}${views.text_of(data, "x_label")} ` +
           `${views.number(series.x[place.index])}, ` +
           `${views.text_of(data, "y_label")} ${value}`;
  }

  /* At most 12 lines for a tip: values of other series at the same x. */
  function others(view, place) {
    const { data } = view, x = data.series[place.series].x[place.index];
    const lines = [];
    data.series.forEach((series, s) => {
      const k = s === place.series ? -1 : series.x.indexOf(x);
      const name = views.name_of(data, s);
      if (k >= 0 && name && shown(view, s) && finite(series.y[k]))
        lines.push([series.y[k], `${name}${colon()}${value_text(series, k)}`]);
    });
    return lines.sort((a, b) => b[0] - a[0]).slice(0, 12)
      .map((line) => line[1]);
  }

  function tip(view, place) {
    const first = say(view, place);
    return view.data.kind === "curves" && view.data.name !== "circle"
      ? [first, ...others(view, place)].join("\n") : first;
  }

  /* ----------------------------------------------------------------- keys */

  function first(view) {
    if (view.data.kind === "heatmap")
      return { row: 0, col: 0 };
    const series = view.data.series.findIndex(
      (s, i) => shown(view, i) && s.y.some(finite));
    return series < 0 ? null
      : { series, index: view.data.series[series].y.findIndex(finite) };
  }

  /* v limited to 0 .. n - 1 */
  const clamp = (v, n) => Math.max(0, Math.min(n - 1, v));

  /* Moves along a series to the next value that is defined. */
  function along(view, place, step) {
    const { y } = view.data.series[place.series];
    let index = clamp(place.index + step, y.length);
    while (index > 0 && index < y.length - 1 && !finite(y[index]))
      index += Math.sign(step);
    return finite(y[index]) ? { ...place, index } : place;
  }

  /* Moves to the next series that is shown, at the nearest x. */
  function across(view, place, step) {
    const all = view.data.series;
    for (let s = place.series + step; s >= 0 && s < all.length; s += step) {
      if (!shown(view, s) || !all[s].y.some(finite))
        continue;
      const x = all[place.series].x && all[place.series].x[place.index];
      const index = d3.scan(all[s].y.map((y, k) => !finite(y) ? Infinity
        : x === undefined ? Math.abs(k - place.index)
          : Math.abs(all[s].x[k] - x)));
      return { series: s, index };
    }
    return place;
  }

  /* Moves by dx to the right and dy downwards. */
  function move(view, place, dx, dy) {
    if (view.data.kind === "heatmap") {
      const [rows, cols] = view.data.shape;
      return { row: clamp(place.row + dy, rows),
               col: clamp(place.col + dx, cols) };
    }
    return dx ? along(view, place, dx) : across(view, place, Math.sign(dy));
  }

  return { near, point, say, tip, first, move };
})();
