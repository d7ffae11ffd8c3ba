"""Closed forms that have controls of their own: shuffling, Transformer-XL's four
terms, layouts of rotary pairs, distances alone, ALiBi's sign, two tables."""
from live import check, near, number_of

FIGURE = 'document.querySelector("[data-name=explore-%s]")'
DATA = 'views.all.find((v) => v.data.name === "explore-%s").data'


def show(page, name):
    page.show(FIGURE % name)
    return DATA % name


def choose(page, name, value):
    page.js(f"""(() => {{ const s = document.querySelector(
        "[name=explore-{name}]"); s.value = "{value}";
        s.dispatchEvent(new Event("change")); }})()""")


def badge(page, name):
    return page.js(f'{FIGURE % name}.closest("figure")'
                   '.querySelector(".badge").textContent')


def cells(page, data):
    return page.js(f"[...{data}.cells].map((v) => Number.isNaN(v) ? null : v)")


def shuffling(page):
    data = show(page, "shuffle")
    right, trap = page.js(f"{data}.changes")
    check("without positions weights follow their tokens", right == 0, right)
    check("looked up by argsort they do not", trap > 0.01, trap)
    check("and the badge says so", "equivariant" in badge(page, "shuffle"))
    before = page.js(f"{data}.order")
    page.click('document.getElementById("shuffle")')
    after = page.js(f"{data}.order")
    check("the button shuffles again", after != before and
          sorted(after) == sorted(before), (before, after))
    check("and it is no different", page.js(f"{data}.changes")[0] == 0)
    choose(page, "placed", "yes")
    right, trap = page.js(f"{data}.changes")
    check("with positions order matters", right > 0.01 and trap > 0.01,
          (right, trap))
    check("as the badge says", "order matters" in badge(page, "shuffle"))
    choose(page, "placed", "no")


def four_terms(page):
    data = show(page, "xl")

    def scores(on):
        for term in "abcd":
            box = f'document.querySelector("[name=explore-term-{term}]")'
            if page.js(f"{box}.checked") != (term in on):
                page.click(box)
        found, wide = cells(page, data), 2 * 16 + 1
        return [found[i * wide + j] for i in range(16) for j in range(i + 1)]

    all_on = scores("abcd")
    each = [scores(term) for term in "abcd"]
    check("the four terms add up", all(abs(s - sum(parts)) < 1e-12
                                       for s, *parts in zip(all_on, *each)))
    check("each is another", len({str(e) for e in each}) == 4)
    # (d) is of the distance alone, (c) of the key alone
    at = {(i, j): n for n, (i, j) in enumerate(
        (i, j) for i in range(16) for j in range(i + 1))}
    check("(d) is of the distance alone", all(
        each[3][at[i, j]] == each[3][at[i - j, 0]] for i, j in at))
    check("(c) is of the key alone", all(
        each[2][at[i, j]] == each[2][at[j, j]] for i, j in at))
    check("none of them is nothing", set(scores("")) == {0})
    check("which the title says", page.js(f"{data}.title").endswith(": 0"))
    scores("abcd")


def layouts(page):
    data, seen = show(page, "layout"), {}
    for layout in ("half", "interleaved"):
        choose(page, "layout", layout)
        seen[layout] = cells(page, data)
    dim = page.js(f"{data}.shape[1]")
    row = slice(3 * dim, 4 * dim)
    half, pairs = seen["half"][row], seen["interleaved"][row]
    check("two layouts of the same angles", half != pairs and
          half[:dim // 2] == pairs[::2] == pairs[1::2], (half, pairs))
    for part in ("sin", "angle"):
        choose(page, "part", part)
        check(f"and their {part}", cells(page, data) not in seen.values())
    choose(page, "part", "cos")
    choose(page, "layout", "half")


def distances_alone(page):
    data = show(page, "relative")
    lines = page.js(f"{data}.series.map((s) => s.y)")
    check("scores of a distance are the same everywhere", all(
        max(y) - min(y) < 1e-9 for y in lines), lines)
    check("and the badge passed", "\u2713" in badge(page, "relative"))


def alibi_matrix(page):
    data = show(page, "alibi-matrix")
    slider = 'document.querySelector("[name=explore-head]")'
    page.js(f"{slider}.focus()")
    slopes = []
    for _ in range(3):
        found = cells(page, data)
        slopes.append(-found[32])
        check("every bias is -slope times distance", all(
            found[i * 32 + j] == (None if j > i else -slopes[-1] * (i - j))
            for i in range(32) for j in range(32)))
        page.b.key("ArrowRight")
    check("each head has its slope, half of the one before",
          slopes[1] * 2 == slopes[0] and slopes[2] * 2 == slopes[1], slopes)
    check("its sign is checked", "\u2713" in badge(page, "alibi-matrix"))


def two_tables(page):
    data = show(page, "diff")
    rows, wide = page.js(f"{data}.shape")
    cols = (wide - 4) // 3

    def parts():
        found = cells(page, data)
        return [[found[i * wide + t * (cols + 2) + j] for i in range(rows)
                 for j in range(cols)] for t in range(3)]

    a, b, difference = parts()
    check("a third map is the difference of two", difference ==
          [x - y for x, y in zip(a, b)] and max(map(abs, difference)) > 0.1)
    map_of = f'{FIGURE % "diff"}.querySelector(".cells").outerHTML'
    before = page.js(map_of)
    page.click('document.querySelector("[name=explore-same]")')
    check("each on a scale of its own", page.js(map_of) != before)
    check("the numbers stay", parts() == [a, b, difference])
    page.click('document.querySelector("[name=explore-same]")')
    check("and back on one", page.js(map_of) == before)
    choose(page, "left", "table-0")
    a, b, difference = parts()
    check("a table less itself is 0", a == b and set(difference) == {0})
    choose(page, "left", "sinusoid")


def static_terms(page):
    """The four terms that C has drawn, of a model: tips name the map and the
    place in it; margins are sums."""
    if not any(f.get("name") == "terms" for f in page.figures):
        return
    i = page.index("terms")
    side = page.figures[i]["shape"][0]
    n, found = (side - 2) // 3, page.figures[i]["cells"]

    def at(down, across, row, col):
        return found[(down * (n + 1) + row) * side + across * (n + 1) + col]

    text = page.over(i, 2 * n + 2 + 3, n + 1 + 2)
    check("a tip names the map of a sum", text.startswith(
        "(b) + (d), query 3, key 2: "), text)
    check("and the value", near(number_of(text), at(2, 1, 3, 2)), text)
    step = (page.figures[i]["high"] - page.figures[i]["low"]) / 65534
    check("terms add up to the score", all(
        abs(sum(at(k // 2, k % 2, a, b) for k in range(4)) - at(2, 2, a, b))
        <= 4 * step for a in range(n) for b in range(a + 1)))
