"""Attention of trained heads on the page: all of them small, one of them large."""
import json
import pathlib
import re

from live import check, near, number_of

DIGITS = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
          "0123456789+/")
SMALL, STEP, GAP = 16, 17, 2


def groups_of(path):
    """The maps in the file, read apart from the page's own script:
    [group][place] = weight(head, row, bin)."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    island = re.search(r'id="locant">(.*?)</script>', text, re.S)[1]
    return json.loads(island)["maps"]


def weight(group, place, head, i, j):
    rows = group["rows"]
    at = 2 * (head * rows * (rows + 1) // 2 + i * (i + 1) // 2 + j)
    high, low = group[place]["cells"][at:at + 2]
    return (64 * DIGITS.index(high) + DIGITS.index(low)) / 1000


def cells(page, i):
    return page.js(f"[...views.all.find((v) => v.svg === {page.svg(i)})"
                   ".data.cells].map((v) => Number.isNaN(v) ? null : v)")


def slide(page, i, name, key):
    page.js(f"""{page.svg(i)}.closest("figure")
        .querySelector("[name={name}]").focus()""")
    page.b.key(key)


def title(page, i):
    return page.js(f'{page.svg(i)}.querySelector("text.b").textContent')


def one_has(page, one, group, layer, head):
    """Does the large map have that head's weights in its four parts?"""
    found, rows, bins = cells(page, one), group["rows"], group["bins"]
    wide = 2 * bins + GAP
    for k, place in enumerate(("initial", "trained", "fourfold", "long")):
        for i, j in ((0, 0), (9, 4), (rows - 1, bins - 1), (rows - 1, 0)):
            cell = found[(k // 2 * (rows + GAP) + i) * wide +
                         k % 2 * (bins + GAP) + j]
            wanted = (weight(group, place,
                             (layer - 1) * group["heads"] + head - 1, i, j)
                      if place in group else None)
            if cell != wanted:
                return False
    return f"Layer {layer}, head {head}:" in title(page, one)


def chosen(page, path):
    """Sliders, and clicks in the small maps, bring a head."""
    groups = groups_of(path)
    full = next((n for n, g in enumerate(groups) if "long" in g), None)
    check("the page has maps of trained heads", full is not None)
    for n, group in enumerate(groups):
        one = page.index("maps", n)
        page.show(page.svg(one))
        named = re.search(r"layer (\d+), head (\d+)", page.js(
            f'{page.svg(one)}.closest("figure").querySelector("figcaption")'
            ".textContent"))
        check("the large map is of the head that its caption names",
              one_has(page, one, group, *map(int, named.groups())),
              title(page, one))
    if full is not None:
        grid, one = page.index("heads", full), page.index("maps", full)
        sliders(page, one, groups[full])
        clicks(page, grid, one, groups[full])
        places(page, grid, groups[full])


def sliders(page, one, group):
    for _ in range(group["layers"]):
        slide(page, one, "layer", "ArrowLeft")
    for _ in range(group["heads"]):
        slide(page, one, "head", "ArrowLeft")
    check("sliders begin at layer 1, head 1", one_has(page, one, group, 1, 1),
          title(page, one))
    slide(page, one, "layer", "ArrowRight")
    check("a layer by its slider", one_has(page, one, group, 2, 1))
    slide(page, one, "head", "ArrowRight")
    check("a head by its slider", one_has(page, one, group, 2, 2))
    slide(page, one, "layer", "ArrowLeft")


def clicks(page, grid, one, group):
    last = group["heads"]
    page.b.click(*page.at_cell(grid, 3, STEP * (last - 1) + 2))
    check("a click in a small map brings it large",
          one_has(page, one, group, 1, last), title(page, one))
    check("and says where", page.said(grid).startswith(
        f"layer 1, head {last}, query 3, key 2: "), page.said(grid))
    page.js(f"{page.svg(grid)}.focus()")
    page.b.key("ArrowLeft", shift=True)
    check("so do arrow keys", one_has(page, one, group, 1, last - 1),
          title(page, one))
    page.b.key("Escape")
    rect = page.js(f"""(() => {{ const r = {page.svg(grid)}
        .querySelector(".chosen").getBBox(); return [r.x, r.y]; }})()""")
    x, y, width, _ = page.box(grid)
    check("its frame is around it", abs(rect[0] - x - width * STEP * (last - 2) /
                                        (STEP * last - 1)) < 0.1 and
          abs(rect[1] - y) < 0.1, rect)


def places(page, grid, group):
    """Small maps before training, and at longer texts."""
    seen = {}
    for place in ("initial", "trained", "fourfold", "long"):
        if place not in group:
            continue
        page.js(f"""(() => {{ const s = {page.svg(grid)}.closest("figure")
            .querySelector("[name=place]"); s.value = "{place}";
            s.dispatchEvent(new Event("change")); }})()""")
        found, by = cells(page, grid), group["rows"] // SMALL
        wide = group["heads"] * STEP - 1
        for i, j in ((5, 2), (4, 4), (15, 0)):
            wanted = sum(weight(group, place, 1, a, b)
                         for a in range(i * by, (i + 1) * by)
                         for b in range(j * by, (j + 1) * by) if b <= a) / by
            cell = found[i * wide + STEP + j]
            check(f"small maps: {place}", abs(cell - wanted) < 1e-9,
                  (cell, wanted))
        seen[place] = found
    check("each state has its own", len({str(s) for s in seen.values()}) ==
          len(seen) > 2, len(seen))
    text = page.over(grid, 5, STEP + 2)
    check("a tip names layer and head", text.startswith(
        "layer 1, head 2, query 5, key 2: "), text)
    check("and has the value", near(number_of(text), seen["long" if "long" in
          seen else "trained"][5 * (group["heads"] * STEP - 1) + STEP + 2]),
          text)
