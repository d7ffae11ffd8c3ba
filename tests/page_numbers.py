#!/usr/bin/env python3
"""Every number of a page of 'locant report' against its --json, both ways.

usage: page_numbers.py PAGE.html NUMBERS.json

 1. What stands in an element marked data-number="path" is the number at that
    path, times data-scale, to the last printed digit; "undefined" is null.
    Of several paths, in the order of the numbers: "a.b.mean low high" are
    a.b.mean, a.b.low, a.b.high.
 2. Every number of the document is printed, or is one of NOT_PRINTED, or
    counts what there is none of (NONE_UNSAID).
 3. What stands below the figures of loss by length and by position, and of
    statistics over training, as text, are the numbers of the document as well.
 4. Other digits of the page are constants of the method, names, or facts of
    the registry: nothing that was measured.  What stands in a figure is drawn:
    its ticks and its cells.

Prints one line for each fault and a summary; exit 1 if there is a fault.
"""
import json
import math
import re
import sys
from html.parser import HTMLParser

# Where there are none, the page does not speak of them.
NONE_UNSAID = r"(extension|surface)\.failures|surface\.left_out"

# Paths that no text shows, and why.
NOT_PRINTED = {
    r"forecast\.seeds_asked": "told where fewer were trained",
    r"rows\.\d+\.by_position\.\d+": "drawn",
    r"rows\.\d+\.runs\.\d+\.curve\.\w+\.\d+": "drawn",
    r"rows\.\d+\.runs\.\d+\.(run|loss\.\d+|own_window|valid|shuffled|replaced"
    r"|truncated|causality|train_loss|seconds)": "behind the means",
    r"rows\.\d+\.context\.\w+\.(seed|data)_error": "in the intervals",
    r"rows\.[1-9]\d*\.runs\.\d+\.seed": "the same for all encodings",
    r"rows\.\d+\.(loss|change)\.\d+\.(seed|data)_error":
        "printed for the declared length",
    r"rows\.\d+\.(non_overlapping|gains|logn|logn_change|clamp|wrap|resample)"
    r"\.\d+\.(seed|data)_error": "the intervals are printed",
    r"rows\.\d+\.((change|behind)\.\d+\.sign|ranks\.\d+)":
        "in the answer, in words",
    r"rows\.\d+\.(change|behind)\.\d+\.p": "printed as corrected",
    r"rows\.\d+\.(change\.(512|1024)|behind\.(512|1024))"
    r"\.(half|corrected)":
        "the verdict claims nothing of them",
    r"rows\.\d+\.behind\.(512|1024)\.mean":
        "the verdict claims nothing of them",
    r"pairs\.\w+\.\d+\.pairs\.\d+\.p": "printed as corrected",
    r"pairs\.\w+\.\d+\.pairs\.\d+\.sign": "in the difference",
    r"order\.(length|power|seeds)":
        "in words where more seeds are needed",
    r"rows\.\d+\.logn\.\d+\.(low|high)": "those of the change are printed",
    r"rows\.[1-9]\d*\.rates\.\d\.rate": "the same for all encodings",
    r"rows\.\d+\.parameters": "model.parameters and encoding_parameters",
    r"ngrams\.\d\.(order|loss)": "drawn; the first is in gate g2",
    r"model\.(layers|heads|width)": "in model.text",
    r"protocol\.(targets|blocks)": "their product is scored_bytes",
    r"gates\.\d\.values\.\d": "those that the sentence has are printed",
    r"extension\.\w+\.\d+\.position\.\d+": "drawn",
    r"extension\.\w+\.\d+\.(loss|above_crop)\.\d+\.(seed|data)_error":
        "in the intervals",
    r"extension\.\w+\.\d+\.short(_above_none)?\.(seed|data)_error":
        "in the intervals",
    r"extension\.((methods|tuned)\.\d+\.needle\.\d+|"
    r"tuned\.\d+\.needle_short|needle_trained)\."
    r"(items|exact)": "their quotient is the share",
    r"extension\.tuned\.\d+\.length": "the first and the last are printed",
    r"extension\.orderings\.\d+\.seeds": "in words, where some lack",
    r"extension\.base\.\d+": "behind the means",
    r"probes\.rows\.\d+\.training\.\w+(\.\d+)?": "drawn",
    r"surface\.encodings\.\d+\.\w+\.\d+\.\d+\.(seed|data)_error":
        "in the intervals",
    r"surface\.encodings\.\d+\.runs\.\d+\.\d+": "behind the means",
    r"tasks\.\d+\.tests\.\d+\.rows\.\d+\.values(_low|_high)?\.\d+":
        "drawn",
    r"tasks\.\d+\.tests\.\d+\.rows\.\d+\.places\.\d+\.(place|mean)":
        "drawn",
}

# Numbers that stand in the text, and what they are.
CONSTANTS = {
    "95": "% of intervals", "64": "targets of a block, by definition",
    "1": "1 nat, 1/rank", "1.443": "bits of a nat", "0.24": "frame of a figure",
    "0.9": "right: a task solved", "0.02": "nats: what no page can tell", "0.05": "p", "0": "of intervals",
    "0.8": "power", "8": "bytes that a changed context keeps",
    "256": "in SHA-256", "5": "in T5",
}

VOID = {"img", "br", "meta", "link", "hr", "input"}
NAMES = {"code", "style", "script", "title", "nav", "h3", "h4", "dt", "strong",
         "cite"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []     # (tag, attributes)
        self.marked = []   # [path, scale, text]
        self.free = []     # text outside of marks
        self.figure = ""   # the last one
        self.data = []     # (figure, its numbers as text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("alt", "aria-label"):
            self.free.append(attributes.get(name) or "")
        if tag in VOID:
            return
        self.open.append((tag, attributes))
        self.figure = attributes.get("data-name", self.figure)
        if "data-number" in attributes:
            self.marked.append([attributes["data-number"],
                                float(attributes.get("data-scale", 1)), ""])

    def handle_endtag(self, tag):
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data):
        marks = [i for i, (_, a) in enumerate(self.open) if "data-number" in a]
        if marks:
            # "undefined" stands there in both languages
            if not any(a.get("class") == "zh" for _, a in
                       self.open[marks[-1]:]):
                self.marked[-1][2] += data
        elif self.open and self.open[-1][0] == "pre":
            self.data.append((self.figure, data))
        elif not any(t == "svg" or self.is_name(t, a) or
                     (t == "details" and a.get("class") == "data")
                     for t, a in self.open):
            self.free.append(data)

    # Captions below "probes" say how something was measured, and of which head.
    @staticmethod
    def is_name(tag, attributes):
        return (tag in NAMES or attributes.get("scope") == "row" or
                "fact" in attributes.get("class", "").split() or
                attributes.get("id", "").startswith(("encoding-", "probes")))


NUMBER = re.compile("undefined|[-+\u2212]?[0-9][0-9.\u202f]*(?:e-?[0-9]+)?")


def single(mark):
    """Marks of one path each."""
    names, scale, text = mark
    names, found = names.split(), NUMBER.findall(text)
    if len(names) == 1:
        return [mark]
    if len(names) != len(found):
        return [[mark[0], scale, text]]
    stem = ""
    for i, name in enumerate(names):
        names[i] = name if "." in name else stem + name
        stem = names[i].rpartition(".")[0] + "."
    return [[n, scale, t] for n, t in zip(names, found)]


def leaves(value, path=""):
    """(path, value) of everything that is no object and no array."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        yield path, value
        return
    for key, inner in items:
        yield from leaves(inner, f"{path}.{key}" if path else str(key))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def agrees(text, value):
    """Is this the text of the value, rounded at its last digit?"""
    if value is None or text == "undefined":
        return value is None and text == "undefined"
    plain = re.sub(r"[\u202f\s]", "", text).replace("\u2212", "-")
    match = re.fullmatch(r"[-+]?\d+(?:\.(\d+))?(?:e(-?\d+))?", plain)
    if not match:
        return False
    unit = 10.0 ** (int(match[2] or 0) - len(match[1] or ""))
    return abs(float(plain) - value) <= unit / 2 + 1e-12 * abs(value)


def check_marks(page, numbers):
    for path, scale, text in page.marked:
        if path not in numbers:
            yield f"{path}: '{text}' on the page, nothing in the document"
            continue
        value = numbers[path]
        if not agrees(text, value * scale if is_number(value) else value):
            yield f"{path}: '{text}' on the page, {value} in the document"


def check_document(page, numbers):
    printed = {path for path, _, _ in page.marked}
    for path, value in numbers.items():
        if value == 0 and re.fullmatch(NONE_UNSAID, path):
            continue
        if (is_number(value) and path not in printed and
                not any(re.fullmatch(p, path) for p in NOT_PRINTED)):
            yield f"{path}: {value} in the document, not on the page"


def table_of(text):
    """(x, name, value) of each field below a figure; None: empty."""
    head = []
    for line in text.strip().split("\n"):
        fields = line.split(",")
        try:
            x = float(fields[0])
        except ValueError:
            head = fields
            continue
        for name, value in zip(head[1:], fields[1:]):
            yield x, name, float(value) if value else None


def differs(value, want):
    """Four digits are told; None is an empty field."""
    return (want is None) != (value is None) or want is not None and abs(
        value - want) > 6e-4 * abs(want)


def check_data(page, numbers, document):
    """What lies behind two figures."""
    rows = {row["encoding"]: i for i, row in enumerate(document["rows"])}
    width = max(int(k) for k in document["rows"][0]["loss"]) / 64
    seen = 0
    for figure, text in page.data:
        if figure not in ("length", "position"):
            continue
        for x, name, value in table_of(text):
            spec, _, end = name.partition(" ")
            if spec not in rows:
                continue
            path = (f"rows.{rows[spec]}.loss.{int(x)}.{end or 'mean'}"
                    if figure == "length" else
                    f"rows.{rows[spec]}.by_position.{int(x / width)}")
            seen += 1
            if differs(value, numbers[path]):
                yield (f"{path}: {value} below the figure, not "
                       f"{numbers[path]}")
    if seen < 40 * len(rows):
        yield f"only {seen} numbers below figures were compared"


# Of figures over training: the lists of the document that their lines show.
COURSES = {
    "bias-steps": {"": "previous", "own": "own"},
    "entropy-steps": {"": "entropy"}, "reach-steps": {"": "distance"},
    "sinks-steps": {"": "sink"},
}
PANELS = {"previous token": "previous", "own token": "own",
          "entropy": "entropy", "distance": "distance",
          "heads that are sinks": "sinks",
          "encoding's gradient": "gradient_share"}
PANEL_WIDTH, PANELS_A_FIGURE = .9, 8


def course_value(row, figure, name, x):
    """What the document has there: of a figure of all encodings."""
    course, spec = row["training"], row["encoding"].replace(",", ";")
    key = COURSES[figure][name[len(spec):].strip()]
    return course[key][course["step"].index(round(x - 1))]


def panel_value(row, name, x):
    """The same of a figure with a panel for each."""
    course = row["training"]
    steps, key = course["step"], PANELS[name]
    at = x % 1 / PANEL_WIDTH * math.log(steps[-1] + 1)
    k = min(range(len(steps)), key=lambda k: abs(math.log(steps[k] + 1) - at))
    value = course[key][k]
    even = course.get("even_" + key)
    return value / even if even and value is not None else value


def check_training(page, document):
    """What lies behind the figures over training."""
    rows = [row for row in document.get("probes", {}).get("rows", [])
            if "training" in row]
    first, seen = 0, 0
    for figure, text in page.data:
        if figure not in COURSES and figure != "learning":
            continue
        for x, name, value in table_of(text):
            if figure == "learning" and x % 1 > PANEL_WIDTH + .02:
                want = None  # between two panels
            elif figure == "learning":
                want = panel_value(rows[first + int(x) - 1], name, x)
            else:
                want = next((course_value(row, figure, name, x) for row in rows
                             if re.fullmatch(re.escape(
                                 row["encoding"].replace(",", ";")) +
                                 "( own)?", name)), None)
            seen += want is not None
            if differs(value, want):
                yield f"{figure}: {value} of {name} at {x}, not {want}"
        first += PANELS_A_FIGURE if figure == "learning" else 0
    if seen < 20 * len(rows):
        yield f"only {seen} numbers over training were compared"


def check_text(page, numbers):
    names = sorted((v for v in numbers.values() if isinstance(v, str)),
                   key=len, reverse=True)
    for text in page.free:
        for name in names:
            if name:
                text = text.replace(name, "")
        text = re.sub(r"(\d{4}[,，] ?)?arXiv:\d{4}\.\d{5}", "", text)
        for number in re.findall(r"\d+(?:\.\d+)?", text):
            if number not in CONSTANTS:
                yield f"'{number}' without a path in: {' '.join(text.split())}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    page = Page()
    with open(sys.argv[1], encoding="utf-8") as file:
        page.feed(file.read())
    page.marked = [one for mark in page.marked for one in single(mark)]
    with open(sys.argv[2], encoding="utf-8") as file:
        document = json.load(file)
    numbers = dict(leaves(document))
    faults = [*check_marks(page, numbers), *check_document(page, numbers),
              *check_data(page, numbers, document),
              *check_training(page, document),
              *check_text(page, numbers)]
    # five lengths of loss alone, in three tables, for every encoding
    if len(page.marked) < 15 * len(document["rows"]) + 20:
        faults.append(f"only {len(page.marked)} numbers are marked")
    for fault in faults:
        print(fault)
    print(f"{len(page.marked)} numbers on the page, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
