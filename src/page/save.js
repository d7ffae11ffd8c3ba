/* save.js - saves the numbers of a figure as CSV and JSON, as 'locant figure'
   writes them, but with six digits and the pooled cells of large maps */
const save = (() => {
  /* A field, quoted as in RFC 4180. */
  function field(text) {
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  }

  const value = (v) => v === null || v === undefined || Number.isNaN(v)
    ? "" : String(v);

  function map_rows(data) {
    const rows = [[data.y_label || "row", data.x_label || "column", "value"]];
    data.cells.forEach((cell, i) => rows.push([
      value(views.at_row(data, Math.floor(i / data.shape[1]))),
      value(views.at_col(data, i % data.shape[1])), value(cell)]));
    return rows;
  }

  function series_rows(data) {
    const curves = data.kind === "curves";
    const band = data.series.some((s) => s.low);
    const rows = [["series", curves ? "x" : "index", "y",
                   ...(band ? ["low", "high"] : [])]];
    data.series.forEach((s, i) => s.y.forEach((y, k) => rows.push([
      s.label || String(i + 1), value(curves ? s.x[k] : k), value(y),
      ...(band ? [value(s.low && s.low[k]), value(s.high && s.high[k])] : [])
    ])));
    return rows;
  }

  function csv(rows) {
    return rows.map((row) => row.map(field).join(",")).join("\n") + "\n";
  }

  function figure_csv(data) {
    return csv(data.kind === "heatmap" ? map_rows(data) : series_rows(data));
  }

  /* Cells row by row; NaN is null. */
  function figure_json(data) {
    const { cells, shape, tiles, badge, shown, square, ...rest } = data;
    if (cells) {
      rest.cells = [];
      for (let row = 0; row < shape[0]; row++)
        rest.cells.push([...cells.slice(row * shape[1],
                                        (row + 1) * shape[1])]);
    }
    return rest;
  }

  function download(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function add(view, name) {
    const json = tools.button(view.tools, "JSON", "JSON", () => download(
      `${name}.json`, "application/json",
      JSON.stringify(figure_json(view.data)) + "\n"));
    const table = tools.button(view.tools, "CSV", "CSV", () => download(
      `${name}.csv`, "text/csv", figure_csv(view.data)));
    json.dataset.tool = "json";
    table.dataset.tool = "csv";
  }

  /* ------------------------------------------------------------------ all */

  /* The figures of the page except those of the sliders. */
  const kept = () => views.all.filter((view) => !/^explore-/.test(
    view.data.name || ""));

  function all_json() {
    const figures = kept().map((view) => {
      views.prepare(view.data);
      return { id: name_of(view), ...figure_json(view.data) };
    });
    return JSON.stringify({ trained: views.page.trained, figures }) + "\n";
  }

  /* A line for each value; for maps, x is the column and y the row. */
  function all_csv() {
    const rows = [["figure", "series", "x", "y", "value", "low", "high"]];
    for (const view of kept()) {
      views.prepare(view.data);
      const map = view.data.kind === "heatmap", id = name_of(view);
      const own = map ? map_rows(view.data) : series_rows(view.data);
      for (const row of own.slice(1))
        rows.push(map ? [id, "", row[1], row[0], row[2], "", ""]
          : [id, row[0], row[1], "", row[2], row[3] || "", row[4] || ""]);
    }
    return csv(rows);
  }

  /* Adds buttons for all figures, below the contents. */
  function add_all() {
    const nav = document.querySelector("nav");
    const row = document.createElement("div");
    row.className = "tools all";
    tools.button(row, "all numbers of all figures, CSV", "所有图的全部数据，CSV",
                 () => download("locant-figures.csv", "text/csv", all_csv()))
      .dataset.tool = "all-csv";
    tools.button(row, "all numbers of all figures, JSON",
                 "所有图的全部数据，JSON",
                 () => download("locant-figures.json", "application/json",
                                all_json())).dataset.tool = "all-json";
    if (nav)
      nav.after(row);
  }

  /* "locant-table-3" for the third figure named "table". */
  function name_of(view) {
    const name = view.data.name || "figure";
    const alike = views.all.filter((v) => (v.data.name || "figure") === name);
    const n = alike.indexOf(view) + 1;
    return `locant-${name}${n > 1 ? `-${n}` : ""}`;
  }

  function start() {
    views.on_wake.push((view) => add(view, name_of(view)));
    add_all();
  }

  return { start, csv, download };
})();
