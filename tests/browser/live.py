"""The page of a report as tests see it: the numbers in its file, the page in a
browser, and the tally of what was checked."""
import base64
import json
import os
import pathlib
import re
import struct
import time

results = []


def check(what, ok, found=""):
    results.append(bool(ok))
    if not ok:
        print(f"FAILED: {what}: {found}")


# ------------------------------------------------------------- of the file

def figures_of(path):
    """The numbers of the figures, read apart from the page's own script."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    island = re.search(r'<script type="application/json" id="locant">(.*?)'
                       r"</script>", text, re.S)
    if not island:
        return None
    figures = json.loads(island[1])["figures"]
    for figure in figures:
        if figure["kind"] == "curves":
            for before, series in zip([None] + figure["series"],
                                      figure["series"]):
                series.setdefault("x", before and before["x"])
        if figure["kind"] == "heatmap":
            by = [int(n) for n in figure["pooled"]]
            figure["shape"] = [-(-int(figure["rows"]) // by[0]),
                               -(-int(figure["cols"]) // by[1])]
            raw = base64.b64decode(figure.pop("u16"))
            step = (figure["high"] - figure["low"]) / 65534
            figure["cells"] = [None if u == 0
                               else figure["low"] + (u - 1) * step
                               for u, in struct.iter_unpack("<H", raw)]
    return figures


def few_encodings(page):
    """May something be missing?  A card begins with its 'attention'."""
    return sum(f.get("name") == "attention" for f in page.figures) <= 3


# ------------------------------------------------------------- in the page

class Page:
    """The page in a browser, with figures found by name."""

    def __init__(self, chromium, url, figures):
        self.b, self.url, self.figures = chromium, url, figures

    def open(self, query="", **how):
        self.b.open(self.url + query, **how)
        return self

    def js(self, text):
        return self.b.js(text)

    def unfold(self):
        """Open all sections."""
        self.js("""document.querySelectorAll("details.part").forEach(
            (section) => { section.open = true; })""")

    def heard(self):
        """What the live region says."""
        return self.js("""document.querySelector("[aria-live]").textContent""")

    def index(self, name, n=0):
        """Which figure is the n-th of that name."""
        return [i for i, f in enumerate(self.figures)
                if f.get("name") == name][n]

    def svg(self, i):
        return f'document.querySelectorAll("figure > svg.fig[data-box]")[{i}]'

    def show(self, element):
        """Bring it into sight; wait until its figure is live, and until what
        comes into sight with it has its size.  A browser that draws no frame
        for a while, as one behind another window, must not keep us waiting."""
        return self.until(f"""(async () => {{ const e = {element};
            const frame = () => new Promise((drawn) => {{
                requestAnimationFrame(drawn); setTimeout(drawn, 200); }});
            const section = e.closest("details.part");
            if (section) section.open = true;
            e.scrollIntoView({{ block: "center" }});
            await frame();
            const was = e.getBoundingClientRect().y;
            await frame();
            const svg = e.closest("svg.fig") || e;
            return e.getBoundingClientRect().y === was &&
                   (!svg.matches("svg.fig") || svg.classList.contains("live"));
            }})()""")

    def until(self, condition):
        for _ in range(300):
            if self.js(condition):
                return True
            time.sleep(0.02)
        return False

    def place(self, element, x, y):
        """Where a point of a drawing is in the window."""
        return self.js(f"""(() => {{ const p = new DOMPoint({x}, {y})
            .matrixTransform({element}.getScreenCTM()); return [p.x, p.y];
            }})()""")

    def middle(self, element):
        self.show(element)
        return self.js(f"""(() => {{ const r = {element}
            .getBoundingClientRect(); return [r.x + r.width / 2,
            r.y + r.height / 2]; }})()""")

    def click(self, element):
        self.b.click(*self.middle(element))

    def box(self, i):
        return [float(n) for n in
                self.js(f"{self.svg(i)}.dataset.box").split()]

    def at_cell(self, i, row, col):
        rows, cols = self.figures[i]["shape"]
        x, y, width, height = self.box(i)
        self.show(self.svg(i))
        return self.place(self.svg(i), x + width * (col + 0.5) / cols,
                          y + height * (row + 0.5) / rows)

    def over(self, i, row, col):
        self.b.mouse("mouseMoved", *self.at_cell(i, row, col))
        return self.js('document.getElementById("tip").innerText')

    def said(self, i):
        return self.js(f'{self.svg(i)}.closest("figure")'
                       '.querySelector(".said").textContent')

    def tool(self, i, name):
        return (f'{self.svg(i)}.closest("figure")'
                f'.querySelector("[data-tool={name}]")')


def number_of(text):
    """The number that a text ends with."""
    found = re.search(r"(\u2212?)([\d.]+(?:e[\u2212-]?\d+)?)$",
                      text.split("\n")[0])
    if not found:
        return None
    return (-1 if found[1] else 1) * float(found[2].replace("\u2212", "-"))


def near(a, b):
    """Within the five digits that are shown."""
    return a is not None and abs(a - b) <= 1e-4 * max(abs(b), 1e-4)


# ------------------------------------------------------------------- files

def downloaded(page, folder, element, name):
    path = os.path.join(folder, name)
    page.click(element)
    for _ in range(500):
        if os.path.exists(path) and os.path.getsize(path):
            with open(path, encoding="utf-8", newline="") as file:
                return file.read()
        time.sleep(0.02)
    return ""


def same_numbers(text, expected):
    return text == "" if expected is None else (
        text != "" and abs(float(text) - expected) <=
        1e-12 * max(1, abs(expected)))
