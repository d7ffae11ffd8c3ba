"""The first screen and the sections below it: what is seen first, what opens a
section, what a picture or a print of the whole page has, sizes of controls."""
from live import check

OPEN = """[...document.querySelectorAll("details.part[open]")].map(
    (e) => e.querySelector("div").id)"""
MOST_PIXELS = 4000  # of the page as it opens, 1280 wide
HEIGHT = 960  # of the first screen


def first_screen(page):
    page.open(width=1280, height=HEIGHT)
    height, below = page.js("""[document.documentElement.scrollHeight,
        document.querySelector("#summary").getBoundingClientRect().bottom]""")
    print(f"{height} pixels high at 1280, of which the first screen has "
          f"{below:.0f}")
    check("a page that opens is short", height < MOST_PIXELS, height)
    few = page.js('document.querySelectorAll("#summary tbody tr").length') <= 8
    check("its first screen is one", below <= HEIGHT or not few, below)
    seen = page.js("""["p.finding", "figure", "table", "p.limits"].map((e) =>
        document.querySelectorAll("#summary " + e).length)""")
    check("with a sentence, a picture, a table, a line", seen == [1] * 4, seen)
    check("all else is closed", page.js(OPEN) == [], page.js(OPEN))


def skip_link(page):
    page.b.key("Tab")
    check("Tab reaches the skip link first", page.js(
        "document.activeElement.className") == "skip")
    check("which is seen then", page.js(
        "document.activeElement.getBoundingClientRect().left") >= 0)
    page.b.key("Enter")
    check("and leads to the content", page.until(
        'document.activeElement.id === "main"'))


def links_open(page):
    """With the script and without, of the contents and in an address."""
    for scripts in (True, False):
        how = f"{'with' if scripts else 'without'} the script"
        page.open("#training", scripts=scripts)
        check(f"an address opens its section {how}",
              page.until(f'({OPEN}).includes("training")'), page.js(OPEN))
        page.open("#encoding-2", scripts=scripts)
        check(f"and that of an encoding {how}", page.until(
            f'({OPEN}).includes("encodings")'), page.js(OPEN))
        page.open(scripts=scripts)
        page.b.click(*page.js("""(() => { const a = document.querySelector(
            'nav a[href="#numbers"]'); a.scrollIntoView({ block: "center" });
            const r = a.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; })()"""))
        check(f"a click opens its section {how}",
              page.until(f'({OPEN}).includes("numbers")'), page.js(OPEN))
        check("and shows it", page.until("""(() => { const y = document
            .getElementById("numbers").getBoundingClientRect().top;
            return y >= 0 && y < 200; })()"""))
    targets = page.js("""[...document.querySelectorAll('a[href^="#"]')].filter(
        (a) => !document.getElementById(a.hash.slice(1))).map((a) => a.hash)""")
    check("every link has its target", targets == [], targets)


def all_of_them(page):
    page.open()
    button = 'document.querySelector("[data-tool=sections]")'
    page.click(button)
    check("a button opens all", page.js(
        'document.querySelectorAll("details.part:not([open])").length') == 0)
    empty = """[...document.querySelectorAll("svg.fig")].filter((e) =>
        !e.querySelector("path")).map((e) => e.dataset.name)"""
    check("a picture of the page has every figure",
          page.until(f"({empty}).length === 0"), page.js(empty))
    page.click(button)
    check("and closes them", page.js(OPEN) == [], page.js(OPEN))


def paper(page):
    page.open()
    page.js('dispatchEvent(new Event("beforeprint"))')
    check("on paper all are open", page.js(
        'document.querySelectorAll("details.part:not([open])").length') == 0)
    page.js('dispatchEvent(new Event("afterprint"))')
    check("and closed again after", page.js(OPEN) == [], page.js(OPEN))
    page.open(scripts=False)
    page.b.send("Emulation.setEmulatedMedia", media="print")
    hidden = page.js("""[...document.querySelectorAll("figure > svg.fig")]
        .filter((e) => e.getBoundingClientRect().height < 50).length""")
    check("also without scripts", hidden == 0, hidden)


def targets(page):
    """Controls of 24 pixels at least (WCAG 2.5.8)."""
    for width in (1280, 390):
        page.open(width=width)
        page.unfold()
        page.js("views.all.forEach(views.wake)")
        small = page.js("""[...document.querySelectorAll("button, select, " +
            "summary, input:not(.lang), label.lang, .links a")].filter(
            (e) => e.checkVisibility()).map((e) => [e, (e.closest("label.check")
            || e).getBoundingClientRect()]).filter(([, r]) => r.width > 0 &&
            Math.min(r.width, r.height) < 23.9).map(([e, r]) =>
            `${r.width} x ${r.height} ${e.outerHTML.slice(0, 80)}`)""")
        check(f"controls are large enough at {width}", not small, small[:4])


def all_of_it(page):
    for test in (first_screen, skip_link, links_open, all_of_them, paper,
                 targets):
        test(page)
