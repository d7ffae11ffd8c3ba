"""The page without a pointer, and aloud: every control in the order of the page,
a focus that is seen, names in both languages, numbers beside pictures, paper."""
import re

from live import check

CHINESE = re.compile("[\u4e00-\u9fff]")

# What Tab should reach, from first to last: as the page has it, but what is
# hidden or in a drawing that is not there yet.
REACHABLE = """[...document.querySelectorAll(
    "a[href], button, input:not([type=radio]), select, summary, [tabindex='0']")]
    .filter((e) => e.checkVisibility() && !e.disabled)"""
SELF = "document.activeElement"


def tab(page, n):
    """What has the focus after each of n strokes."""
    page.js("window.seen = []")
    for _ in range(n):
        page.b.key("Tab")
        page.js(f"window.seen.push({SELF})")
    return page.js("window.seen.map((e) => e.tagName)")


def order(page):
    """From the contents on, and from the sliders on."""
    for first in ('document.querySelector("nav a")',
                  'document.querySelector("[name=explore-position]")'):
        page.show(first)
        page.js(f"{first}.focus()")
        tags = tab(page, 12)
        check("Tab goes from one control to the next, in the page's order",
              page.js(f"""(() => {{ const all = {REACHABLE};
                  const at = all.indexOf({first});
                  return window.seen.every((e, i) => e === all[at + 1 + i]); }})
                  ()"""), tags)
        check("and back", (page.b.key("Tab", shift=True), page.js(
            f"{SELF} === window.seen[10]"))[1])


def focus_is_seen(page):
    """By an outline, wherever the keyboard is."""
    i = page.index("attention")
    page.show(page.svg(i))
    page.js(f"{page.svg(i)}.focus()")
    page.b.key("ArrowRight")
    tab(page, 8)
    unseen = page.js("""window.seen.map((e) => { e.focus(); return [
        e.tagName, getComputedStyle(e).outlineStyle,
        parseFloat(getComputedStyle(e).outlineWidth)]; })
        .filter(([, style, width]) => style === "none" || !(width >= 1))""")
    check("what has the focus is outlined", not unseen, unseen)
    page.js(f"{page.svg(i)}.focus()")
    page.b.key("Escape")


def by_keys_alone(page):
    """A figure, its tools, a legend, a table, without a pointer."""
    i = page.index("attention")
    page.show(page.svg(i))
    page.js(f"{page.svg(i)}.focus()")
    page.b.key("ArrowDown")
    page.b.key("ArrowDown")
    check("a figure reads its cells to the arrow keys",
          page.said(i).startswith("query 1, key 0: "), page.said(i))
    check("a crosshair stands there", page.js(
        f"{page.svg(i)}.querySelectorAll('.pinned rect').length") == 1)
    page.b.key("Tab")
    check("Tab leaves the figure for its tools", page.js(
        f"{SELF}.closest('.tools') !== null"), page.js(f"{SELF}.outerHTML"))
    pressed = f'{SELF}.getAttribute("aria-pressed")'
    page.js(f"{page.tool(i, 'log')}.focus()")
    page.b.key("Enter")
    check("Enter presses", page.js(pressed) == "true")
    page.b.key(" ")
    check("and so does Space", page.js(pressed) == "false")
    page.js(f"{page.svg(i)}.focus()")
    page.b.key("Escape")
    check("Escape lets go", page.said(i) == "" and page.js(
        f"!{page.svg(i)}.querySelector('.pinned rect')"))
    button = 'document.querySelector("table th button")'
    page.show(button)
    page.js(f"{button}.focus()")
    page.b.key("Enter")
    check("Enter sorts", page.js(
        f'{button}.closest("th").ariaSort') == "ascending")


def named(page):
    """Every control and every figure has a name, in the language of the page;
    none of them is of the other one."""
    for language in ("en", "zh"):
        page.open(f"?lang={language}")
        page.unfold()
        page.js("views.all.forEach(views.wake)")
        nameless = page.js(f"""{REACHABLE}.filter((e) =>
            !(e.ariaLabel || e.textContent).trim() &&
            !(e.labels && e.labels.length && e.labels[0].textContent.trim()))
            .map((e) => e.outerHTML.slice(0, 120))""")
        check(f"every control has a name ({language})", not nameless,
              nameless[:3])
        labels = page.js("""[...document.querySelectorAll(
            "svg.fig, .tools button, nav")].map((e) => e.ariaLabel ||
            e.textContent)""")
        check("and every figure", all(labels) and len(labels) > 50,
              len(labels))
        if language == "zh":
            wrong = [t for t in labels if not CHINESE.search(t) and "：" not in t and
                     not re.fullmatch(r"CSV|JSON|PI|[\w(), =;.+-]{0,24}", t)]
            check("in Chinese", not wrong, wrong[:5])
            seen = page.js("""[...document.querySelectorAll(".fig text")]
                .filter((e) => e.checkVisibility() && /[a-z]{4,} [a-z]{3,}/
                    .test(e.textContent)).map((e) => e.textContent)""")
            check("no English sentence in a drawing", not seen, seen[:5])


def numbers_beside(page):
    """A reader who does not see has the numbers of each figure as text."""
    without = page.js("""[...document.querySelectorAll("figure")].filter(
        (f) => { const v = views.all.find((w) => f.contains(w.svg));
                 return v && !v.made && !f.querySelector("details.data pre") &&
                 !(v.data.kind === "heatmap" && v.data.rows <= 16) &&
                 /curves|heatmap/.test(v.data.kind); })
        .map((f) => f.innerText.slice(0, 80))""")
    check("every figure has its numbers as text", not without, without[:3])
    live = page.js("""[...document.querySelectorAll("[aria-live], output, " +
        "[role=status], [role=alert], [role=log]")].map((e) => e.ariaLive)""")
    check("one live region for all of them", live == ["polite"], live)


def on_paper(page):
    page.open()
    page.js('document.querySelector("svg.fig").focus()')
    page.b.send("Emulation.setEmulatedMedia", media="print")
    page.js('dispatchEvent(new Event("beforeprint"))')
    shown = page.js("""[...document.querySelectorAll(
        ".tools, .controls, .hint, nav, label.lang, #tip")].filter(
        (e) => e.checkVisibility()).length""")
    check("no control is printed", shown == 0, shown)
    empty = page.js("""views.all.filter((v) => !v.svg.querySelector("path"))
        .map((v) => v.data.name)""")
    check("every figure is, also one that was not seen yet", not empty, empty)
    ground, ink = (page.js(f"getComputedStyle(document.body).{name}")
                   for name in ("backgroundColor", "color"))
    check("black on white", (ground, ink) == ("rgb(255, 255, 255)",
                                              "rgb(0, 0, 0)"), (ground, ink))


def contrasts(page):
    """Text against what it stands on, light and dark: 4.5 to 1 and more."""
    for theme in ("light", "dark"):
        page.open(prefers_color_scheme=theme)
        page.unfold()
        page.js("views.all.forEach(views.wake)")
        worst = page.js("""(() => {
            const lum = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(
                (v) => { v /= 255; return v <= .04045 ? v / 12.92
                         : ((v + .055) / 1.055) ** 2.4; });
                return .2126 * r + .7152 * g + .0722 * b; };
            const ground = (e) => { for (; e; e = e.parentElement) {
                const c = getComputedStyle(e).backgroundColor;
                if (!/, 0\\)$|transparent/.test(c)) return c; } };
            const out = [];
            for (const e of document.querySelectorAll("p, a, th, td, small, " +
                 "figcaption, button, output, summary, dt, .fig text")) {
              if (!e.checkVisibility() || !e.textContent.trim() ||
                  e.classList.contains("cg") || e.matches(".cells ~ text.m"))
                continue;
              const style = getComputedStyle(e);
              const a = lum(e.namespaceURI.endsWith("svg") ? style.fill
                            : style.color), b = lum(ground(e));
              out.push([(Math.max(a, b) + .05) / (Math.min(a, b) + .05),
                        e.outerHTML.slice(0, 90)]);
            }
            return [out.length, ...out.sort((x, y) => x[0] - y[0])[0]]; })()""")
        check(f"text is told from its ground ({theme})", worst[0] > 100 and
              worst[1] >= 4.5, worst)


def all_of_it(page):
    page.open()
    order(page)
    focus_is_seen(page)
    by_keys_alone(page)
    numbers_beside(page)
    named(page)
    contrasts(page)
    on_paper(page)
