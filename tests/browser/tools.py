"""The buttons below figures and tables: transpose, pins that are drawn beside,
other lengths of a learned table, filters, badges, all numbers at once."""
import csv
import io
import json

from live import check, downloaded, few_encodings, same_numbers

VIEW = "views.all.find((v) => v.svg === %s)"


def view(page, i):
    return VIEW % page.svg(i)


def equal(found, wanted):
    """But for the rounding of two ways to unpack a cell."""
    return len(found) == len(wanted) and all(
        a == b if a is None or b is None else abs(a - b) <= 1e-12 * abs(b)
        + 1e-15 for a, b in zip(found, wanted))


def transposes(page):
    i = page.index("table")
    figure, (rows, cols) = page.figures[i], page.figures[i]["shape"]
    page.show(page.svg(i))
    before = page.js(f'{page.svg(i)}.querySelector(".cells").outerHTML')
    wanted = page.over(i, 5, 3)
    page.click(page.tool(i, "transpose"))
    page.figures[i] = {**figure, "shape": [cols, rows]}
    text = page.over(i, 3, 5)
    page.figures[i] = figure
    by = int(figure["pooled"][0])
    at = f"{5 * by}" if by == 1 else f"{5 * by}\u2013{6 * by - 1}"
    check("a map is transposed", text.startswith(f"channel 3, position {at}: ")
          and text.split(": ")[1] == wanted.split(": ")[1], (text, wanted))
    page.click(page.tool(i, "transpose"))
    check("and back", page.js(
        f'{page.svg(i)}.querySelector(".cells").outerHTML') == before)


def pins_are_drawn(page):
    """A pin in the table: its channel and its position in the curves."""
    i, k, m = (page.index(name) for name in ("table", "channels", "vectors"))
    figure, cols = page.figures[i], page.figures[i]["shape"][1]
    plain = page.js(f"{page.svg(k)}.innerHTML")
    page.b.click(*page.at_cell(i, 7, 6))
    of = "(() => { const s = %s.data.series; return s[s.length - 1]; })()"
    channel, vector = (page.js(of % view(page, n)) for n in (k, m))
    check("a pin in the table draws its channel", equal(
        channel["y"], figure["cells"][6::cols]), channel["label"])
    check("and its position", equal(
        vector["y"], figure["cells"][7 * cols:8 * cols]), vector["label"])
    check("with their names", "channel 6" in channel["label"] and
          f"position {7 * int(figure['pooled'][0])}" in vector["label"])
    page.js(f"{page.svg(i)}.focus()")
    page.b.key("ArrowRight")
    check("arrow keys go on to the next", equal(page.js(
        of % view(page, k))["y"], figure["cells"][7::cols]))
    page.b.key("Escape")
    after = page.js(f"""(() => {{ const copy = {page.svg(k)}.cloneNode(true);
        copy.querySelectorAll(".cursor, .linked").forEach((e) => e.remove());
        return copy.querySelectorAll("[data-s]").length; }})()""")
    check("without a pin there are those of before",
          after == plain.count("data-s="), (after, plain.count("data-s=")))


def resized(cells, dim, n, align):
    """Linear interpolation of rows, written apart from the page's own."""
    m, out = len(cells) // dim, []
    for x in range(n):
        s = (x * (m - 1) / (n - 1) if align
             else min(max((x + 0.5) * m / n - 0.5, 0), m - 1))
        low = min(int(s), m - 2)
        out += [cells[low * dim + c] * (1 - (s - low)) +
                cells[(low + 1) * dim + c] * (s - low) for c in range(dim)]
    return out


def tables_stretch(page):
    i = next((n for n, f in enumerate(page.figures) if f.get("name") == "table"
              and page.js(f'!!{page.svg(n)}.closest("[data-reach]")')), None)
    if i is None:
        check("no learned table: a page of few encodings", few_encodings(page))
        return
    figure, dim = page.figures[i], page.figures[i]["shape"][1]
    page.show(page.svg(i))
    before = page.js(f'{page.svg(i)}.querySelector(".cells").outerHTML')
    find = f'{page.svg(i)}.closest("figure").querySelector("[name=%s]")'
    n = 3 * int(figure["rows"]) // 2
    for align in (False, True):
        if align:
            page.click(find % "stretch-align")
        page.js(f"""(() => {{ const s = {find % "stretch"}; s.value = {n};
            s.dispatchEvent(new Event("input")); }})()""")
        found = page.js(f"[...{view(page, i)}.data.cells]")
        wanted = resized(figure["cells"], dim, n, align)
        check(f"a learned table at {n} positions", len(found) == len(wanted)
              and all(abs(a - b) < 1e-9 for a, b in zip(found, wanted)),
              (len(found), len(wanted)))
    check("which its title says", page.js(
        f'{page.svg(i)}.querySelector("text.b").textContent').endswith(
            f"{figure['rows']} \u2192 {n}"))
    page.js(f"""(() => {{ const s = {find % "stretch"};
        s.value = {figure["rows"]}; s.dispatchEvent(new Event("input")); }})()""")
    check("and back", page.js(
        f'{page.svg(i)}.querySelector(".cells").outerHTML') == before)


def tables_filter(page):
    table = 'document.querySelector("table.compare")'
    field = (f'{table}.closest(".scroll").nextElementSibling'
             '.querySelector("[name=filter]")')
    page.show(table)
    rows = page.js(f"{table}.tBodies[0].rows.length")
    if rows <= 3:
        check("a short table needs no filter", page.js(f"{field} === null"))
        return

    def shown(text):
        page.js(f"""(() => {{ const f = {field}; f.value = "{text}";
            f.dispatchEvent(new Event("input")); }})()""")
        return page.js(f"""[...{table}.tBodies[0].rows].filter(
            (r) => r.checkVisibility()).map((r) => r.cells[0].textContent)""")

    found = shown("KERNELISED")
    check("a filter leaves rows with its text", found == ["kerple"], found)
    check("and says how many", f"of {rows} rows" in page.js(
        f"{field}.nextElementSibling.textContent"))
    check("nothing where there is none", shown("no such text") == [])
    check("all of them without", len(shown("")) == rows)


def badges(page):
    """Signs of biases: ALiBi's is a penalty, a bias of random sign is not."""
    specs = {}
    for n, figure in enumerate(page.figures):
        if figure.get("name") == "bias":
            page.show(page.svg(n))
            spec = page.js(f'{page.svg(n)}.closest(".card")'
                           '.querySelector("dd code").textContent')
            lines = [s["y"] for s in figure["series"] if s.get("label")
                     and any(v is not None for v in s["y"])]
            falls = all(v <= 0 and (k == 0 or v <= y[k - 1])
                        for y in lines for k, v in enumerate(y))
            specs[spec] = falls
            check(f"the sign of {spec}", page.js(
                f'{page.svg(n)}.closest("figure").querySelector(".badge")'
                '.classList.contains("passed")') == falls, falls)
    for lines, falls in (([[0, -1, -2]], True), ([[2, 1, -1]], False),
                         ([[0, 1, -2]], False), ([[0, -1], [0, 1]], False),
                         ([[0, -1], [0, 0]], False)):
        check(f"the sign of {lines}", page.js(f"scale.falls({lines})") == falls)
    check("ALiBi passes, and not all do", specs.get("alibi") and
          (few_encodings(page) or not all(specs.values())), specs)


def all_at_once(page, folder):
    text = downloaded(page, folder,
                      'document.querySelector("[data-tool=all-json]")',
                      "locant-figures.json")
    found = json.loads(text)["figures"] if text else []
    check("JSON of all has every figure", [f.get("name") for f in found] ==
          [f.get("name") for f in page.figures], len(found))
    check("each with its own id", len({f["id"] for f in found}) == len(found))
    for own, wanted in zip(found, page.figures):
        if wanted["kind"] != "heatmap":
            same = own["series"] == wanted["series"]
        elif wanted["name"] in ("maps", "heads"):
            same = len(sum(own["cells"], [])) == len(wanted["cells"])
        else:
            same = equal(sum(own["cells"], []), wanted["cells"])
        check(f"with the numbers of {own['id']}", same)
    text = downloaded(page, folder,
                      'document.querySelector("[data-tool=all-csv]")',
                      "locant-figures.csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    count = sum(len(f["cells"]) if f["kind"] == "heatmap"
                else sum(len(s["y"]) for s in f["series"])
                for f in page.figures)
    check("CSV of all has every number", len(rows) == count,
          (len(rows), count))
    first = [r for r in rows if r["figure"] == found[0]["id"]]
    flat = [(s.get("label") or str(n + 1), x, y)
            for n, s in enumerate(page.figures[0]["series"])
            for x, y in zip(s["x"], s["y"])]
    check("in order", len(first) == len(flat) and all(
        r["series"] == s and same_numbers(r["x"], x) and
        same_numbers(r["value"], y) for r, (s, x, y) in zip(first, flat)))
