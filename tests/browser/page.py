#!/usr/bin/env python3
"""The page of a report in a real browser: what it asks for, what it says, and
every interaction.

usage: page.py PAGE.html FOLDER
       page.py --browser    is there one?

Pictures of it (light, dark, Chinese, narrow, without scripts) and the printed
page are kept in FOLDER.  The last line is "N passed, N failed"; without a
browser, or with a build without D3, it says so and succeeds.
"""
import csv
import json
import os
import pathlib
import re
import shutil
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402
import heads  # noqa: E402
import keys  # noqa: E402
import sections  # noqa: E402
import terms  # noqa: E402
import tools  # noqa: E402
from live import (Page, check, downloaded, few_encodings,  # noqa: E402
                  figures_of, near, number_of, results, same_numbers)

SECONDS = 1       # to load, from a file
MOST_BYTES = 3000000
# Elements once it is live, with the tools of figures and with sliders, and
# without scripts.  At most so many, and so many more a long job (the sections
# "extension", "surface", "tasks"); nor more than so many a figure, a cell of a
# table, and besides.
MOST_LIVE, MOST_STATIC, MORE_A_JOB = 9600, 9000, 1800
LIVE, STATIC = (70, 2, 2300), (67, 2, 2000)


def most(page, cap, budget):
    jobs, *counts = page.js('''["#extension, #surface, #tasks", "figure",
        "td, th", "html"].map((name) => document.querySelectorAll(name).length)''')
    return min(cap + MORE_A_JOB * jobs,
               sum(n * each for n, each in zip(counts, budget)))


def load_times(page):
    """Of five loads, each of a new tab.  The clock is what a reader waits by;
    on a machine that is busy with other things only the work of the page's
    own thread says anything."""
    loads, paints, work = [], [], []
    for _ in range(5):
        page.open()
        page.until('performance.getEntriesByName("first-contentful-paint")'
                   '.length')
        times = page.js("""(() => { const [t] = performance.getEntriesByType(
            "navigation"), [p] = performance.getEntriesByName(
            "first-contentful-paint"); return [t.loadEventStart, p.startTime];
            })()""")
        loads.append(times[0] / 1000)
        paints.append(times[1] / 1000)
        work.append(page.b.work)
    load, paint, own = (statistics.median(t) for t in (loads, paints, work))
    busy = os.getloadavg()[0] > 1.5 * os.cpu_count()
    print(f"loads in {load:.2f} s, {own:.2f} s of them its own work; first "
          f"paint after {paint:.2f} s (medians of five)")
    check("loads with little work", own < SECONDS, own)
    check("loads in a second", load < SECONDS or busy, load)


def loads(page):
    load_times(page)
    b = page.b
    elements = page.js('document.querySelectorAll("*").length')
    limit = most(page, MOST_LIVE, LIVE)
    print(f"{elements} elements of {limit}, live")
    check("few elements", elements < limit, (elements, limit))
    check("is live", page.js("document.documentElement.dataset.live") == "yes")
    for figure in range(len(page.figures)):
        check("a figure that is seen is live", page.show(page.svg(figure)),
              page.figures[figure].get("name"))
    asked = [r["request"]["url"] for r in b.of("Network.requestWillBeSent")]
    check("asks for nothing but itself", asked == [page.url], asked)
    said = b.of("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                "Log.entryAdded")
    check("says nothing in the console", not said, said[:2])
    violations = page.js("window.violations || []")
    check("breaks no policy", not violations, violations)


def policy_holds(page):
    """A script that is not the page's own does not run."""
    page.open()
    page.js("""(() => { const s = document.createElement("script");
        s.textContent = "window.intruder = 1"; document.body.append(s); })()""")
    check("no other script runs", page.js("window.intruder === undefined"))
    check("and that is a violation", page.js("(window.violations || []).length")
          == 1)


def hover_of_map(page):
    i = page.index("attention")
    figure = page.figures[i]
    text = page.over(i, 3, 1)
    value = figure["cells"][3 * figure["shape"][1] + 1]
    check("a tip has the indices", text.startswith("query 3, key 1: "), text)
    check("and the value", near(number_of(text), value), (text, value))
    hidden = page.over(i, 0, 5)
    check("what is masked is undefined", hidden.endswith("undefined"), hidden)
    page.b.mouse("mouseMoved", 1, 1)
    check("the tip goes with the pointer",
          page.js('document.getElementById("tip").hidden'))


def hover_of_curve(page):
    i = page.index("length")
    series = page.figures[i]["series"][0]
    page.show(page.svg(i))
    x, y = page.js(f"""(() => {{ const v = views.all.find(
        (view) => view.svg === {page.svg(i)});
        return figure.point(v, {{ series: 0, index: 2 }}); }})()""")
    page.b.mouse("mouseMoved", *page.place(page.svg(i), x, y))
    text = page.js('document.getElementById("tip").innerText').split("\n")
    check("a tip names the lines", any(series["label"] in t for t in text),
          text)
    line = next((t for t in text if series["label"] + ":" in t), "")
    shown = re.sub(r" \[.*\]$", "", line)
    check("and has their values", near(number_of(shown), series["y"][2]),
          (line, series["y"][2]))
    check("and all of them at that place",
          len(text) >= min(12, sum(f.get("label") is not None and
                                   f["x"] == series["x"] and
                                   f["y"][2] is not None
                                   for f in page.figures[i]["series"])), text)


def pin_and_arrows(page):
    i = page.index("attention")
    page.b.click(*page.at_cell(i, 4, 2))
    check("a click pins", page.js(
        f'!!{page.svg(i)}.querySelector(".cursor.pinned rect")'))
    check("and says what", page.said(i).startswith("query 4, key 2: "),
          page.said(i))
    page.js(f"{page.svg(i)}.focus()")
    for key, expected in (("ArrowRight", "query 4, key 3: "),
                          ("ArrowDown", "query 5, key 3: "),
                          ("ArrowLeft", "query 5, key 2: "),
                          ("ArrowUp", "query 4, key 2: ")):
        page.b.key(key)
        check(f"{key} moves the pin", page.said(i).startswith(expected),
              page.said(i))
    check("aloud", page.heard() == page.said(i), page.heard())
    page.b.key("Escape")
    check("Escape takes it away", page.said(i) == "" and page.js(
        f'!{page.svg(i)}.querySelector(".cursor rect")'), page.said(i))


def arrows_of_curves(page):
    i = page.index("length")
    page.show(page.svg(i))
    page.js(f"{page.svg(i)}.focus()")
    page.b.key("ArrowRight")
    first = page.said(i)
    page.b.key("ArrowRight")
    second = page.said(i)
    page.b.key("ArrowDown")
    third = page.said(i)
    x = page.figures[i]["series"][0]["x"]
    check("arrows go along a curve", f" {x[0]:g}," in first and
          f" {x[1]:g}," in second, (first, second))
    check("and from one to the next", third.split(":")[0] !=
          second.split(":")[0], (second, third))
    page.b.key("Escape")


def legend_isolates(page):
    i, k = page.index("length"), page.index("close-up")
    label = f'{page.svg(i)}.querySelector("text[role=button]")'
    mine = page.js(f"{label}.dataset.s")
    dim = ('[...%s.querySelectorAll("svg [data-s]")].filter((e) => '
           'e.classList.contains("dim")).length')
    lines = page.js(f'{page.svg(i)}.querySelectorAll("svg [data-s]").length')
    page.click(label)
    check("a label leaves its line", page.js(
        f'[...{page.svg(i)}.querySelectorAll("svg [data-s=\\"{mine}\\"]")]'
        '.every((e) => !e.classList.contains("dim"))'))
    check("and dims the others", 0 < page.js(dim % page.svg(i)) < lines)
    check("in the figures of the same lines, too",
          page.js(dim % page.svg(k)) > 0)
    check("and is pressed", page.js(f"{label}.ariaPressed") == "true")
    page.js(f"{label}.focus()")
    page.b.key("Enter")
    check("and once more brings them back", page.js(dim % page.svg(i)) == 0 and
          page.js(dim % page.svg(k)) == 0)


def crosshairs_are_linked(page):
    i, k = page.index("similarity"), page.index("distance")
    page.show(page.svg(k))
    down, across = (int(by) for by in page.figures[i]["pooled"])
    page.over(i, 9, 4)
    check("a crosshair in the map", page.js(
        f'{page.svg(i)}.querySelectorAll(".cursor line:not(.halo)").length') == 2)
    x = page.js(f'(() => {{ const line = {page.svg(k)}.querySelector('
                '".linked line"); return line && Number('
                'line.getAttribute("x1")); })()')
    box = page.box(k)
    low, high = [float(n) for n in
                 page.js(f"{page.svg(k)}.dataset.x").split()]
    at = box[0] + box[2] * (abs(9 * down - 4 * across) - low) / (high - low)
    check("and in the curve, at their distance",
          x is not None and abs(x - at) < 0.01, (x, at))


def sliders_recompute(page):
    page.show('document.querySelector("#explore")')
    figure = 'document.querySelector("[data-name=explore-%s]")'
    path = figure + '.querySelector("svg path").getAttribute("d")'
    names = {"position": ("circle", "vector", "table"),
             "base": ("waves", "shares", "circle", "vector", "score"),
             "factor": ("waves",), "length": ("shares", "logn", "alibi"),
             "dim": ("waves", "vector"), "heads": ("alibi",),
             "fast": ("shares", "waves"), "buckets": ("buckets",), "distance": ("buckets",)}
    for name, followers in names.items():
        for follower in followers:
            page.show(figure % follower)
            own = (f'{figure % follower}.querySelector(".cells").outerHTML'
                   if follower == "table" else
                   f'[...{figure % follower}.querySelectorAll("path")]'
                   '.map((p) => p.getAttribute("d")).join()')
            before = page.js(own)
            slider = f'document.querySelector("[name=explore-{name}]")'
            page.js(f"{slider}.focus()")
            page.b.key("ArrowRight")
            check(f"{name} changes {follower}", page.js(own) != before)
    check("a slider says its value", page.js(
        'document.querySelector("[name=explore-position]").closest("label")'
        '.querySelector(".value").textContent') == "11")
    scalings_recompute(page, path % "waves", figure % "waves")


def scalings_recompute(page, path, figure):
    page.show(figure)
    seen = set()
    for kind in ("none", "linear", "ntk", "dynamic", "yarn-index",
                 "yarn-turns"):
        page.js(f"""(() => {{ const s = document.querySelector(
            "[name=explore-kind]"); s.value = "{kind}";
            s.dispatchEvent(new Event("change")); }})()""")
        seen.add(page.js(f'[...{figure}.querySelectorAll("path")].map('
                         '(p) => p.getAttribute("d")).join()'))
    check("each scaling has its wavelengths", len(seen) == 6, len(seen))
    marks = page.js('views.all.find((v) => v.data.name === "explore-waves")'
                    '.data.series[1].x.slice(-1)[0]')
    plain = page.js('views.all.find((v) => v.data.name === "explore-waves")'
                    '.data.series[0].x.slice(-1)[0]')
    factor = float(page.js('document.querySelector("[name=explore-factor]")'
                           ".value"))
    check("the slowest pair is stretched by the factor",
          abs(marks / plain - factor) < 1e-9 * factor, (marks, plain, factor))


def turning(page):
    value = 'Number(document.querySelector("[name=explore-position]").value)'
    page.open(prefers_reduced_motion="reduce")
    was = page.js(value)
    page.click('document.getElementById("rotate")')
    page.js("new Promise((done) => setTimeout(done, 700))")
    check("with reduced motion, one step a click", page.js(value) == was + 1,
          (was, page.js(value)))
    page.open()
    page.click('document.getElementById("rotate")')
    check("else the pairs rotate", page.until(f"{value} >= {was + 2}"))
    page.click('document.getElementById("rotate")')
    check("until it is released", page.js(
        'document.getElementById("rotate").ariaPressed') == "false")


def one_scale(page):
    first, second = (page.index("permutation", n) for n in (0, -1))
    page.show(page.svg(first))
    before = page.js(f"{page.svg(first)}.innerHTML")
    ticks = '[...%s.querySelectorAll("text.ct:not(.e):not(.m)")].map(' \
            "(t) => t.textContent).join()"
    page.click(page.tool(first, "same"))
    a, b = (page.js(ticks % page.svg(i)) for i in (first, second))
    check("figures of one name have one scale", a == b and a != "", (a, b))
    check("and their buttons say so", page.js(
        f"{page.tool(second, 'same')}.ariaPressed") == "true")
    page.click(page.tool(second, "same"))
    page.b.mouse("mouseMoved", 1, 1)
    after = page.js(f"""(() => {{ const copy = {page.svg(first)}
        .cloneNode(true); copy.querySelectorAll(".cursor, .linked").forEach(
        (e) => e.remove()); return copy.innerHTML; }})()""")
    clean = re.sub(r'<g class="(?:cursor|linked)[^>]*>.*?</g>', "", before)
    check("until it is released", after == clean, (len(after), len(clean)))
    first, second = (page.index("bias", n) for n in (0, -1))
    if first == second:
        check("one bias: a page of few encodings", few_encodings(page))
        return
    page.show(page.svg(second))
    page.click(page.tool(second, "same"))
    ticks = '[...%s.querySelectorAll("text.ct.e")].map(' \
            "(t) => t.textContent).join()"
    a, b = (page.js(ticks % page.svg(i)) for i in (first, second))
    check("so have curves", a == b and a != "", (a, b))
    page.click(page.tool(second, "same"))


def logarithm(page):
    i = page.index("attention")
    cells = f'{page.svg(i)}.querySelector(".cells").outerHTML'
    page.show(page.svg(i))
    before = page.js(cells)
    page.click(page.tool(i, "log"))
    check("small weights show by their logarithm", page.js(cells) != before)
    text = page.over(i, 3, 1)
    check("with the same values", near(number_of(text), page.figures[i][
        "cells"][3 * page.figures[i]["shape"][1] + 1]), text)
    page.click(page.tool(i, "log"))


def files_of_curves(page, folder):
    i = page.index("length")
    data = page.figures[i]
    table = downloaded(page, folder, page.tool(i, "csv"), "locant-length.csv")
    rows = list(csv.DictReader(table.splitlines()))
    expected = [(s.get("label") or str(n + 1), x, y)
                for n, s in enumerate(data["series"])
                for x, y in zip(s["x"], s["y"])]
    check("CSV of curves has the page's numbers",
          len(rows) == len(expected) and all(
              r["series"] == e[0] and same_numbers(r["x"], e[1]) and
              same_numbers(r["y"], e[2]) for r, e in zip(rows, expected)),
          (len(rows), len(expected)))
    text = downloaded(page, folder, page.tool(i, "json"),
                      "locant-length.json")
    check("and so has JSON", text and json.loads(text) == data, text[:200])


def files_of_maps(page, folder):
    i = page.index("similarity")
    data = page.figures[i]
    table = downloaded(page, folder, page.tool(i, "csv"),
                       "locant-similarity.csv")
    rows = list(csv.reader(table.splitlines()))[1:]
    check("CSV of a map has its cells", len(rows) == len(data["cells"]) and
          all(same_numbers(r[2], c) for r, c in zip(rows, data["cells"])),
          len(rows))
    text = downloaded(page, folder, page.tool(i, "json"),
                      "locant-similarity.json")
    cells = sum(json.loads(text)["cells"], []) if text else []
    check("and so has JSON", [float(r[2]) if r[2] else None for r in rows] ==
          cells, len(cells))


def downloads(page, folder):
    folder = os.path.join(folder, "downloads")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    page.b.send("Browser.setDownloadBehavior", root=True, behavior="allow",
                downloadPath=os.path.abspath(folder))
    files_of_curves(page, folder)
    files_of_maps(page, folder)
    tools.all_at_once(page, folder)


def tables_sort(page):
    table = 'document.querySelector("table")'
    column = 1
    values = (f'[...{table}.tBodies[0].rows].map((r) => parseFloat('
              f'r.cells[{column}].textContent.replace("\\u2212", "-")))')
    button = f"{table}.tHead.rows[0].cells[{column}].querySelector('button')"
    page.click(button)
    up = [v for v in page.js(values) if v is not None]
    page.click(button)
    down = [v for v in page.js(values) if v is not None]
    check("a table sorts", up == sorted(up) and len(up) > 1, up)
    check("both ways", down == sorted(down, reverse=True), down)
    check("and says so", page.js(f"{table}.tHead.rows[0].cells[{column}]"
                                 ".ariaSort") == "descending")


SEEN = """(name) => [...document.querySelectorAll("main ." + name)]
    .filter((e) => e.checkVisibility()).length"""


def languages(page):
    page.open()
    check("English first", page.js("document.documentElement.lang") == "en" and
          page.js(f'({SEEN})("zh")') == 0)
    page.click('document.querySelector("label[for=lang-zh]")')
    check("Chinese by a button", page.js("document.documentElement.lang")
          .startswith("zh") and page.js(f'({SEEN})("en")') == 0 and
          page.js(f'({SEEN})("zh")') > 0)
    text = page.over(page.index("attention"), 3, 1)
    check("a tip speaks Chinese", text.startswith("查询 3，键 1：") or
          text.startswith("查询 3, 键 1："), text)
    page.open(language="zh-CN")
    check("Chinese for who reads it", page.js("document.documentElement.lang")
          .startswith("zh"))
    page.open("?lang=en", language="zh-CN")
    check("but not if the address asks for English",
          page.js("document.documentElement.lang") == "en")
    page.open("?lang=zh")
    check("Chinese by the address", page.js("document.documentElement.lang")
          .startswith("zh"))
    button = page.tool(page.index("attention"), "log")
    page.show(page.svg(page.index("attention")))
    label = page.js(f"{button}.ariaLabel")
    check("names for screen readers, too",
          re.search("[\u4e00-\u9fff]", label), label)


def narrow_curves(page):
    """A wide figure is laid out anew: letters keep their size, and the names
    of its lines are below it."""
    i = page.index("length")
    page.show(page.svg(i))
    right, bottom, within = page.js(f"""(() => {{ const s = {page.svg(i)},
        f = s.closest("figure"), texts = [...s.querySelectorAll("text")].filter(
        (e) => e.checkVisibility()), box = s.getBoundingClientRect(),
        all = texts.map((e) => e.getBoundingClientRect());
        return [f.scrollWidth - f.clientWidth,
                Math.max(...all.map((r) => r.bottom)) - box.bottom,
                all.every((r) => r.left >= box.left && r.right <= box.right)];
        }})()""")
    check("a wide figure fits a narrow screen", right <= 1 and bottom <= 0 and
          within, (right, bottom, within))
    size = page.js(f'parseFloat(getComputedStyle({page.svg(i)}.querySelector('
                   f'"text.ct")).fontSize) * {page.svg(i)}.clientWidth / '
                   f'{page.svg(i)}.viewBox.baseVal.width')
    check("with letters of a size to read", size > 9.5, size)


def looks(page, folder):
    shots = {"light": {}, "dark": {"prefers_color_scheme": "dark"},
             "narrow": {"width": 360, "height": 800}}
    for name, how in shots.items():
        page.open(**how)
        wake_all(page)
        if name == "narrow":
            width = page.js("document.documentElement.scrollWidth")
            check("a narrow page does not scroll sideways", width <= 360,
                  width)
            narrow_curves(page)
        page.b.picture(os.path.join(folder, f"{name}.png"))
        if name == "dark":
            ground = page.js("getComputedStyle(document.body)"
                             ".backgroundColor")
            check("a dark page is dark", max(map(int, re.findall(
                r"\d+", ground)[:3])) < 64, ground)
    page.open("?lang=zh")
    wake_all(page)
    page.b.picture(os.path.join(folder, "zh.png"))
    page.open()
    page.b.pdf(os.path.join(folder, "print.pdf"))
    check("it prints", os.path.getsize(os.path.join(folder, "print.pdf")) >
          20000)


def wake_all(page):
    """As a reader sees it who opens and scrolls through it all."""
    page.unfold()
    page.js("""(() => { const style = document.createElement("style");
        style.textContent = ".card,#probes{content-visibility:visible!important}";
        document.head.append(style); views.all.forEach(views.wake); })()""")


def without_scripts(page, folder):
    page.open(scripts=False)
    closed = page.js("""[...document.querySelectorAll("details.part")].filter(
        (e) => !e.open).length""")
    check("without scripts sections are closed", closed > 5, closed)
    page.unfold()
    seen = page.js("""[...document.querySelectorAll("figure > svg.fig")]
        .filter((e) => e.checkVisibility() && e.clientWidth > 100 &&
                       e.querySelector("path")).length""")
    check("without scripts every figure stands", seen == len(page.figures),
          seen)
    elements = page.js('document.querySelectorAll("*").length')
    limit = most(page, MOST_STATIC, STATIC)
    print(f"{elements} elements of {limit}, without scripts")
    check("not too many elements", elements < limit, (elements, limit))
    check("and nothing else is there", page.js(
        '!document.querySelector(".tools, .controls")'))
    page.b.picture(os.path.join(folder, "no-script.png"))


def stands_still(b, path):
    """The page of a build without D3."""
    b.open(pathlib.Path(path).resolve().as_uri())
    check("asks for nothing but itself",
          len(b.of("Network.requestWillBeSent")) == 1)
    check("says nothing in the console", not b.of("Log.entryAdded"))
    check("every figure stands", b.js("""[...document.querySelectorAll(
        "figure > svg.fig")].every((e) => e.clientWidth > 100 &&
                                          e.querySelector("path"))"""))


def run(path, folder, chromium):
    figures = figures_of(path)
    if figures is None:
        print("this build has no D3: its page has no script to test")
        stands_still(chromium, path)
        return
    check("under 3 MB", os.path.getsize(path) < MOST_BYTES,
          os.path.getsize(path))
    page = Page(chromium, pathlib.Path(path).resolve().as_uri(), figures)
    loads(page)
    for test in (hover_of_map, hover_of_curve, pin_and_arrows,
                 arrows_of_curves, legend_isolates, crosshairs_are_linked,
                 one_scale, logarithm, sliders_recompute, tables_sort,
                 tools.transposes, tools.pins_are_drawn, tools.tables_stretch,
                 tools.tables_filter, tools.badges, terms.shuffling,
                 terms.four_terms, terms.layouts, terms.distances_alone,
                 terms.alibi_matrix, terms.two_tables, terms.static_terms):
        test(page)
    heads.chosen(page, path)
    downloads(page, folder)
    said = chromium.of("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                       "Log.entryAdded")
    check("still nothing in the console", not said, said[:2])
    turning(page)
    keys.all_of_it(page)
    sections.all_of_it(page)
    languages(page)
    policy_holds(page)
    looks(page, folder)
    without_scripts(page, folder)


def run_once(path, folder, found):
    chromium = browser.Browser(found)
    try:
        run(path, folder, chromium)
    finally:
        chromium.close()


def main():
    if sys.argv[1:] == ["--browser"]:
        sys.exit(browser.find() is None)
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path, folder = sys.argv[1:]
    found = browser.find()
    if not found:
        print("no browser here (Debian: chromium): skipped\n0 passed, 0 failed")
        return
    os.makedirs(folder, exist_ok=True)
    try:
        run_once(path, folder, found)
    except browser.Silent as error:
        # Chromium itself sometimes stops on a loaded machine; a page that
        # stops it does so again.
        print(f"{error}; once more with a new browser")
        results.clear()
        run_once(path, folder, found)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
