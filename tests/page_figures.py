#!/usr/bin/env python3
"""What the figures of a page draw against 'locant figure NAME --json'.

usage: page_figures.py LOCANT PAGE.html NUMBERS.json STORE

The page's file has the numbers of each figure in the island its script reads,
rounded, and maps pooled, to what a screen shows; the command prints them to
the bit.  Compared are figures of runs and of the long jobs, and those of each
encoding's card, which are of the first run of that encoding.  Lines and rows go
by name: the page has them in the order of its encodings, the command in that of
the runs.

The lines of n-grams, which are counted on a text that a store does not keep,
are compared with NUMBERS.json.

Prints one line for each fault and a summary; exit 1 if there is a fault.
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "browser"))
from live import figures_of  # noqa: E402

RELATIVE = 1e-5  # numbers of the page's text have six digits
PROBED = """entropy slopes distances reach shares previous sinks field
    truncation states usage usage-heads partial swings bias-steps entropy-steps
    reach-steps sinks-steps learning""".split()


def close(a, b, step=0.0):
    if a is None or b is None:
        return a is b
    return abs(a - b) <= RELATIVE * abs(b) + step + 1e-9


class Command:
    """'locant figure' of one store."""

    def __init__(self, locant, numbers, store):
        self.locant, self.numbers, self.store = locant, numbers, store
        listed = subprocess.run([locant, "figure", "--list"], text=True,
                                capture_output=True, check=True).stdout
        self.kinds = dict(line.split()[:2] for line in listed.splitlines())
        first = {row["encoding"]: str(row["runs"][0]["run"])
                 for row in numbers["rows"]}
        self.cards = list(first.values())
        self.own = {run["run"] for row in numbers["rows"]
                    for run in row["runs"]}
        self.probed = [first[row["encoding"]]
                       for row in numbers["probes"]["rows"]]

    def subject(self, name, n, card):
        """Words for what the n-th figure of that name is of."""
        if name == "surface":
            return ["--encoding",
                    self.numbers["surface"]["encodings"][n]["encoding"]]
        if name in ("heads", "maps"):
            return [self.probed[n]]
        if name in PROBED:
            return self.probed
        if self.kinds[name] in ("runs", "report"):
            return []
        return [self.cards[card]]

    def task(self, drawn):
        """Name and subject of 'task-N-..', the N-th task of the page."""
        task, of = re.match(r"(T\d+)[:,] (.*)", drawn["title"]).groups()
        kind, length = drawn["name"].split("-")[2], of.split(",")[0]
        if kind == "depths":
            runs = [str(run["run"]) for run in self.say("runs", "list")
                    if run["source"] == task and run["encoding"] == of
                    and run["parent"] in self.own | {None}]
            return "task-depths", runs
        if kind == "solved":
            return "task-solved", ["--task", task]
        return ("task-places" if kind == "places" else "task-scores",
                ["--task", task, "--length", length.removeprefix("length ")])

    def say(self, *words):
        said = subprocess.run([self.locant, *words, "--dir", self.store,
                               "--json"], text=True, capture_output=True)
        if said.returncode:
            raise ValueError(said.stderr.strip())
        return json.loads(said.stdout)


def strongest(rows, pooled):
    """What a map too fine for the page shows in each place: of the cells it
    covers the one of largest magnitude; a place covers whole cells."""
    down, right = (int(n) for n in pooled)
    high, wide = -(-len(rows) // down), -(-len(rows[0]) // right)

    def cover(i, n, cells):
        return range(i * cells // n, (i + 1) * cells // n)

    for r in range(high):
        for c in range(wide):
            yield max((rows[i][k] for i in cover(r, high, len(rows))
                       for k in cover(c, wide, len(rows[0]))
                       if rows[i][k] is not None), key=abs, default=None)


def same_map(drawn, said):
    cells = list(strongest(said["cells"], drawn["pooled"]))
    step = (drawn["high"] - drawn["low"]) / 65534
    if len(cells) != len(drawn["cells"]):
        return f"{len(drawn['cells'])} cells, not {len(cells)}"
    wrong = sum(not close(a, b, step)
                for a, b in zip(drawn["cells"], cells))
    return f"{wrong} of {len(cells)} cells" if wrong else None


def bare(label):
    """A learned table is as long as its task."""
    return re.sub(r"^learned\(length=\d+\)$", "learned", label)


def by_name(drawn, said):
    """What was said in the order of what is drawn; nothing where an encoding
    has no position for a length."""
    if drawn["kind"] == "strips":
        lines = {bare(s["label"]): s for s in said["series"]}
        said["series"] = [lines.get(bare(s["label"]), {}) | {
            "label": s["label"]} for s in drawn["series"]]
        return
    cells = said["cells"]
    if "row_names" in drawn:
        rows = dict(zip(map(bare, said["row_names"]), cells))
        cells = [rows.get(bare(name), {}) for name in drawn["row_names"]]
    cells = [dict(zip(said["col_names"], row)) for row in cells]
    said["cells"] = [[row.get(name) for name in drawn["col_names"]]
                     for row in cells]


def numbers_of(series):
    return [v for key in ("x", "y", "low", "high")
            for v in series.get(key) or []]


def ordered(series):
    """By label; a line without one belongs to the one before it."""
    groups = []
    for s in series:
        if s.get("label") is None and groups:
            groups[-1].append(s)
        else:
            groups.append([s])
    groups.sort(key=lambda group: group[0].get("label") or "")
    return sum(groups, [])


def same_curves(drawn, said):
    drawn, said = ordered(drawn), ordered(said)
    if [s.get("label") for s in drawn] != [s.get("label") for s in said]:
        return (f"lines {[s.get('label') for s in drawn]}, "
                f"not {[s.get('label') for s in said]}")
    for a, b in zip(drawn, said):
        x, y = numbers_of(a), numbers_of(b)
        if len(x) != len(y):
            return f"{a.get('label')}: {len(x)} numbers, not {len(y)}"
        for p, q in zip(x, y):
            if not close(p, q):
                return f"{a.get('label')}: {p}, not {q}"
    return None


def n_grams(numbers):
    """Their lines, as the document has them."""
    cache = numbers["cache"]
    lines = {f"n-gram, order {g['order']}": g["loss"]
             for g in numbers["ngrams"]}
    lines["n-gram with cache"] = [v for k, v in cache.items() if k.isdigit()]
    return lines


def without_n_grams(series, numbers):
    """The lines that a store knows; what is wrong with the others."""
    want, wrong, kept = n_grams(numbers), None, []
    for s in series:
        label = s.get("label") or ""
        if not label.startswith("n-gram"):
            kept.append(s)
            continue
        value = want.pop(label)
        values = value if isinstance(value, list) else [value] * len(s["y"])
        if not all(map(close, s["y"], values)):
            wrong = f"{label}: {s['y']}, not {values}"
    if want:
        wrong = f"no line {', '.join(want)}"
    return kept, wrong


def fault_of(drawn, said, numbers):
    if drawn["kind"] == "heatmap":
        return same_map(drawn, said)
    series, wrong = drawn["series"], None
    if drawn["name"] in ("length", "close-up"):
        series, wrong = without_n_grams(series, numbers)
    return wrong or same_curves(series, said["series"])


def main():
    locant, page, document, store = sys.argv[1:]
    numbers = json.loads(pathlib.Path(document).read_text())
    command = Command(locant, numbers, store)
    figures, seen, faults, card = figures_of(page), {}, 0, -1

    for drawn in figures:
        name = drawn["name"]
        card += name == "attention"  # the first of each card
        if name.startswith("task-"):
            name, words = command.task(drawn)
        else:
            words = command.subject(name, seen.get(name, 0), card)
        seen[name] = seen.get(name, 0) + 1
        try:
            said = command.say("figure", name, *words)
            if name.startswith("task-"):
                by_name(drawn, said)
            wrong = fault_of(drawn, said, numbers)
        except ValueError as error:
            wrong = str(error)
        if wrong:
            print(f"{drawn['name']} ({name} {' '.join(words)}): "
                  f"the page draws {wrong}")
        faults += bool(wrong)
    print(f"{len(figures)} figures of {len(seen)} kinds, {faults} faults")
    return 1 if faults or not figures else 0


if __name__ == "__main__":
    sys.exit(main())
