/* table.js - sorts, filters and saves tables */
const table = (() => {
  /* The sort key of a cell: the number at its beginning; without a number, the
     text of a heading, or null, which is sorted last. */
  function key(cell) {
    const text = cell ? cell.textContent.trim() : "";
    const plain = text.replace(/\u2212/g, "-").replace(/[\u202f\u2009]/g, "");
    const number = parseFloat(plain);
    return Number.isNaN(number) ? cell && cell.tagName === "TH" ? text : null
                                : number;
  }

  function compare(a, b, sign) {
    if (a === null || b === null)
      return (a === null) - (b === null);
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  }

  function sort(element, heading, column) {
    const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const body = element.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
    rows.sort((a, b) => compare(a[0], b[0], sign));
    for (const other of heading.parentNode.cells)
      other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    body.append(...rows.map((row) => row[1]));
  }

  function make_sortable(element) {
    const headings = element.tHead.rows[element.tHead.rows.length - 1].cells;
    [...headings].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(element, heading, column));
      heading.append(button);
    });
  }

  /* The text of a cell in the language that is shown. */
  function text_of(cell) {
    return cell.innerText.replace(/\s*\n\s*/g, " ").trim();
  }

  /* Adds a field that shows only rows with a text, in either language. */
  function add_filter(element, row) {
    const input = document.createElement("input");
    const count = document.createElement("span");
    const filter = () => {
      const wanted = input.value.trim().toLowerCase();
      const all = [...element.tBodies[0].rows];
      for (const r of all)
        r.hidden = !r.textContent.toLowerCase().includes(wanted);
      const shown = all.filter((r) => !r.hidden).length;
      count.textContent = wanted === "" ? ""
        : words.say(`${shown} of ${all.length} rows`,
                    `${all.length} 行中的 ${shown} 行`);
    };
    input.type = "search";
    input.name = "filter";
    words.label(input, "show only rows with this text", "只显示含此文字的行");
    count.className = "said";
    input.addEventListener("input", () => {
      filter();
      tools.tell(count.textContent);
    });
    words.on_change.push(() => {
      input.placeholder = words.say("filter rows", "筛选行");
      filter();
    });
    row.append(input, count);
  }

  function add_tools(element, n) {
    const row = document.createElement("div");
    row.className = "tools";
    if (element.tHead && element.tBodies[0] &&
        element.tBodies[0].rows.length > 3)
      add_filter(element, row);
    tools.button(row, "CSV", "CSV", () => save.download(
      `locant-table-${n}.csv`, "text/csv", save.csv(
        [...element.rows].filter((r) => !r.hidden).map(
          (r) => [...r.cells].map(text_of)))));
    (element.closest(".scroll") || element).after(row);
  }

  function start() {
    document.querySelectorAll("table").forEach((element, i) => {
      if (element.tHead && element.tBodies[0] &&
          element.tBodies[0].rows.length > 1)
        make_sortable(element);
      add_tools(element, i + 1);
    });
  }

  return { start };
})();
