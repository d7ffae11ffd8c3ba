"""Attention of trained heads on the page: all of them small, one of them large."""
import base64
import json
import pathlib
import re

from live import check, near, number_of

DIGITS = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
          "0123456789+/")
SMALL, STEP, GAP = 16, 17, 2


def island(path):
    """The page's data, read apart from its own script."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'id="locant">(.*?)</script>', text, re.S)[1])


def tokens_of(data):
    """The bytes of each token of the text that the maps lie over."""
    text = base64.b64decode(data["text"])
    at, tokens = 0, []
    for span in data.get("spans") or [1] * len(text):
        tokens.append(text[at:at + span])
        at += span
    check("spans of tokens are those of the text", at == len(text), at)
    return tokens


def words_of(text, keys):
    """The tokens of those keys as a tip quotes them."""
    quoted = "".join(chr(byte) if 32 < byte < 127 else "\u2423"
                     if byte == 32 else "\\n" if byte == 10
                     else f"\\x{byte:02x}"
                     for byte in b"".join(text[j] for j in keys[:24]))
    return f' \u201c{quoted}{chr(0x2026) if len(keys) > 24 else ""}\u201d'


def key_words(text, group, place, size, col):
    """What a tip says of a column: the keys that its bin holds."""
    length = group[place]["length"]
    keys = [j for j in range(length) if j * size // length == col]
    which = f"key {keys[0]}" if len(keys) == 1 else \
        f"keys {keys[0]}\u2013{keys[-1]}"
    return which + words_of(text, keys)


def queries(group, place):
    return [(i + 1) * group[place]["length"] // group["rows"] - 1
            for i in range(group["rows"])]


def small_words(text, group, place, row, col):
    by = group["rows"] // SMALL
    rows = queries(group, place)[row * by:(row + 1) * by]
    return (f"queries {', '.join(map(str, rows))}, "
            f"{key_words(text, group, place, SMALL, col)}: ")


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
                             layer * group["heads"] + head, i, j)
                      if place in group else None)
            if cell != wanted:
                return False
    return f"Layer {layer}, head {head}:" in title(page, one)


def chosen(page, path):
    """Sliders, and clicks in the small maps, bring a head."""
    data = island(path)
    groups, text = data["maps"], tokens_of(data)
    check("and the text that they lie over", len(text) == 2048, len(text))
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
        clicks(page, grid, one, groups[full], text)
        places(page, grid, groups[full], text)
        tokens(page, one, groups[full], text)


def sliders(page, one, group):
    for _ in range(group["layers"]):
        slide(page, one, "layer", "ArrowLeft")
    for _ in range(group["heads"]):
        slide(page, one, "head", "ArrowLeft")
    check("sliders begin at layer 0, head 0", one_has(page, one, group, 0, 0),
          title(page, one))
    slide(page, one, "layer", "ArrowRight")
    check("a layer by its slider", one_has(page, one, group, 1, 0))
    slide(page, one, "head", "ArrowRight")
    check("a head by its slider", one_has(page, one, group, 1, 1))
    slide(page, one, "layer", "ArrowLeft")


def tokens(page, one, group, text):
    """A tip in the large map says which query and which keys, and quotes."""
    for k, place in enumerate(("initial", "trained", "fourfold", "long")):
        row, col = 20, 3
        query = queries(group, place)[row]
        wanted = (f"query {query}{words_of(text, [query])}, "
                  f"{key_words(text, group, place, group['bins'], col)}: ")
        tip = page.over(one, k // 2 * (group["rows"] + GAP) + row,
                        k % 2 * (group["bins"] + GAP) + col)
        check(f"a tip quotes the text: {place}", wanted in tip, (tip, wanted))
    check("between maps there is nothing to quote", "between two maps" in
          page.over(one, group["rows"], 3))


def clicks(page, grid, one, group, text):
    last = group["heads"]
    page.b.click(*page.at_cell(grid, 3, STEP * (last - 1) + 2))
    check("a click in a small map brings it large",
          one_has(page, one, group, 0, last - 1), title(page, one))
    check("and says where", page.said(grid).startswith(
        f"layer 0, head {last - 1}, " + small_words(text, group, "trained", 3, 2)),
        page.said(grid))
    page.js(f"{page.svg(grid)}.focus()")
    page.b.key("ArrowLeft", shift=True)
    check("so do arrow keys", one_has(page, one, group, 0, last - 2),
          title(page, one))
    page.b.key("Escape")
    rect = page.js(f"""(() => {{ const r = {page.svg(grid)}
        .querySelector(".chosen").getBBox(); return [r.x, r.y]; }})()""")
    x, y, width, _ = page.box(grid)
    check("its frame is around it", abs(rect[0] - x - width * STEP * (last - 2) /
                                        (STEP * last - 1)) < 0.1 and
          abs(rect[1] - y) < 0.1, rect)


def places(page, grid, group, text):
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
    tip = page.over(grid, 5, STEP + 2)
    check("a tip names layer, head, queries and keys", tip.startswith(
        "layer 0, head 1, " + small_words(text, group, "long", 5, 2)), tip)
    check("and has the value", near(number_of(tip), seen["long"][
        5 * (group["heads"] * STEP - 1) + STEP + 2]), tip)
