#!/usr/bin/env python3
"""Every claim of a page of 'locant report' about losses, from raw losses alone.

usage: page_claims.py PAGE.html NUMBERS.json FOLDER

NUMBERS.json is the output of --json, FOLDER has runs.csv, evaluations.csv,
losses.csv and plans.csv of 'locant runs export --table NAME' of its store.
From the loss of each block, and from statuses and checksums of the runs, this
computes again, in Python and NumPy and by formulas of its own, and compares:

 1. numbers (claims_numbers.py, claims_statistics.py): means, standard errors,
    t and bootstrap intervals of losses, changes, gains, and of losses under
    other specs and policies; paired t tests, sign-flip tests, and Holm's
    correction for the whole page; ranks; the power of tests and the seeds they
    need; what changed contexts cost, and which encodings use theirs;
 2. gates g2 to g7 (g1, properties of encodings, is no matter of losses);
 3. words: the finding, the verdict at each length, the claims of the exact
    test, whether more seeds are advised, the change in the table that compares
    the encodings, and which differences are bold.

What a page says of its long jobs (extension, surface, tasks, probes) is not
computed here.  Prints a line for each claim that the losses do not support, and
a summary; exit 1 if there is one.
"""
import json
import math
import re
import sys
from html.parser import HTMLParser

from claims_numbers import ALPHA, LENGTHS, USES, Losses, Numbers

LITTLE, CAUSAL = 0.02, 1e-4
VERDICT = [128, 256, 2048]
NO_POSITIONS = {"none"}  # gate g3 judges the others
VITAL = ("g1", "g4", "g5", "g6")

# The words for each kind of change: in the finding; in the verdict, with two
# seeds and with more; in the table that compares encodings.
WORDS = {
    "rises": ("rises for", "loss higher than at 128 in both runs",
              "loss higher than at 128", "loss rises"),
    "small": ("changes by less than 0.02 nats per byte for",
              "changed by less than 0.02 nats",
              "changed by less than 0.02 nats",
              "changes by less than 0.02 nats"),
    "falls": ("falls for", "loss lower than at 128 in both runs",
              "loss lower than at 128", "loss falls"),
    "same": ("does not change distinguishably for",
             "higher in one run and not in the other",
             "not distinguishable from unchanged",
             "no distinguishable change"),
    "undefined": ("is undefined for", "not defined", "not defined",
                  "undefined"),
    "unjudged": ("is not judged for",
                 "not judged, since not shown to use their context",
                 "not judged, since not shown to use their context",
                 "not judged"),
}
# By number of seeds: one encoding has the lowest loss, several may have it.
LOWEST = {
    1: ("lowest in the one run", "lowest in the one run"),
    2: ("lowest in both runs",
        "lowest on average, or not higher than that encoding in both runs"),
    3: ("lowest, and distinguishable from all others",
        "lowest, and not distinguishable from each other"),
}


# ------------------------------------------------------------------- the page

class Page(HTMLParser):
    """English words, with specs in backticks; what is bold."""
    VOID = {"img", "br", "meta", "link", "hr", "input", "wbr"}

    def __init__(self, page):
        super().__init__()
        self.open, self.text, self.bold = [], {}, set()
        self.feed(page.partition("<div id=\"position\"")[0])

    def put(self, text):
        if any(a.get("class") == "zh" for _, a in self.open):
            return
        for key in ("finding", "verdict", "compare"):
            if any(a.get("class") == key or a.get("id") == key
                   for _, a in self.open):
                self.text[key] = self.text.get(key, "") + text

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "br":
            self.put("\n")
        if tag in self.VOID:
            return
        self.open.append((tag, attributes))
        path = attributes.get("data-number", "")
        if path.startswith("pairs.") and any(t == "strong"
                                             for t, _ in self.open):
            self.bold.add(path.rsplit(".", 1)[0])
        self.put({"code": "`", "td": "|", "tr": "\n"}.get(tag, ""))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            self.put({"code": "`", "li": "\n\n"}.get(tag, ""))
            self.open.pop()

    def handle_data(self, data):
        self.put(data.replace("\u202f", ""))


def specs_in(text):
    return set(re.findall("`([^`]*)`", text))


# ----------------------------------------------------------------- the claims

class Claims:
    """What the page may say, by the losses."""

    def __init__(self, numbers, uses):
        self.numbers, self.tests = numbers, numbers.tests
        self.losses, self.uses = numbers.losses, uses
        self.enough = self.tests.enough
        self.all = range(len(self.losses.specs))

    def is_judged(self, i, length):
        return length <= LENGTHS[0] or self.uses[i] is True

    def change(self, i, length):
        test = self.tests.all["change", length, i]
        if math.isnan(test.mean):
            return "undefined"
        if not self.is_judged(i, length):
            return "unjudged"
        if not self.tests.shows(test):
            return "same"
        if abs(test.mean) < LITTLE:
            return "small"
        return "rises" if test.mean > 0 else "falls"

    def lowest(self, length):
        """The encodings named as such; empty: nothing is said."""
        defined = [i for i in self.all
                   if self.tests.rank(length, i) is not None]
        first = {i for i in defined if not self.tests.is_above(length, i)}
        if len(defined) < 2 or not all(self.is_judged(i, length)
                                       for i in first):
            return set()
        return first

    def named(self, indices):
        return {self.losses.specs[i] for i in indices}

    def changes(self, length):
        """{kind: specs} of the kinds that there are."""
        kinds = {}
        for i in self.all:
            kinds.setdefault(self.change(i, length), set()).add(
                self.losses.specs[i])
        return kinds

    def exact(self, declared):
        length = min(1024, self.numbers.judged)
        return self.named(i for i in self.all
                          if declared[i].holm < ALPHA and
                          declared[i].corrected < ALPHA and
                          self.is_judged(i, length))

    def made(self):
        """Corrected p of the claims of the verdict."""
        for length in VERDICT:
            for i in self.all:
                test = self.tests.all.get(("change", length, i))
                if (test and test.corrected < ALPHA and
                        self.is_judged(i, length)):
                    yield test.corrected
            first = self.tests.lowest(length)
            undefined = {i for i in self.all
                         if self.tests.rank(length, i) is None}
            named = {i for i in self.all
                     if not self.tests.is_above(length, i)} - undefined
            if all(self.is_judged(i, length) for i in named):
                for i in set(self.all) - named - undefined:
                    p = self.tests.difference(length, i, first).corrected
                    if self.is_judged(i, length):
                        yield p


# ------------------------------------------------------------------ the gates

def ngram_of(document, losses):
    """The loss of the n-gram of gate g2, from the plan that stored it."""
    sha, blocks = (document["corpus"]["sha256"],
                   document["protocol"]["blocks"])
    for plan in losses.plans:
        if (plan["key"].startswith("references;") and sha in plan["key"] and
                f"blocks={blocks}" in plan["key"].split(";")):
            return json.loads(plan["plan"])[0]
    return math.nan


def finite(losses, place, run):
    """Are the losses of a run finite, but where its encoding ends?"""
    i, s = place
    if run["status"] != "done" or not math.isfinite(float(run["train_loss"])):
        return False
    means = losses.loss["P1"][i].mean(axis=2)
    ends = [not any(math.isfinite(x) for x in means[:losses.counts[i], k])
            for k in range(len(LENGTHS))]
    return all(math.isfinite(x) or k > 0 and ends[k]
               for k, x in enumerate(means[s]))


def check_gates(numbers, claims):
    document, losses = numbers.document, numbers.losses
    gates = {g["name"]: g for g in document["gates"]}

    def same(name, passed, *values):
        numbers.same(name + ".passed", gates[name]["passed"], passed)
        for k, want in values:
            numbers.same(f"{name}.values.{k}", gates[name]["values"][k], want)

    means = [losses.of(i, "P1", 0).mean() for i in claims.all]
    best, ngram = min(means), ngram_of(document, losses)
    same("g2", bool(best < ngram), (1, best), (3, ngram))
    numbers.same("g2.a", gates["g2"]["a"], losses.specs[means.index(best)])
    judged = [i for i in claims.all if losses.specs[i] not in NO_POSITIONS]
    use = sum(claims.uses[i] is True for i in judged)
    needed = (len(judged) + 1) // 2 if len(judged) > 1 else 1
    same("g3", use >= needed if any(u is not None for u in claims.uses)
         else None, (0, USES), (1, use), (2, len(judged)), (3, needed),
         (4, max(numbers.cost[i] for i in judged)))
    worst = max(float(e["causality"]) for e in losses.known.values())
    same("g4", worst <= CAUSAL, (0, worst))
    runs = {place: losses.runs[run] for run, place in losses.place.items()}
    bad = sum(not finite(losses, place, run) for place, run in runs.items())
    same("g5", bad == 0, (0, bad or len(runs)))
    first = {}  # by seed
    other = sum(run["batch_checksum"] !=
                first.setdefault(run["seed"], run["batch_checksum"])
                for _, run in sorted(runs.items()))
    same("g6", other == 0, (0, other))
    made = list(claims.made()) if claims.enough else []
    same("g7", True if made else None, (0, len(made)),
         (1, max(made, default=0)))
    return next((g for g in VITAL if gates[g]["passed"] is False), None)


# ------------------------------------------------------------------ the words

def check_finding(numbers, claims, text):
    found = {}
    for clause in text.split(";"):
        for kind, words in WORDS.items():
            if words[0] in clause:
                found[kind] = specs_in(clause)
    numbers.same("the finding", str(tidy(found)),
                 str(tidy(claims.changes(LENGTHS[-1]))))


def tidy(kinds):
    return {kind: sorted(kinds[kind]) for kind in sorted(kinds)}


def check_length(numbers, claims, length, lines):
    """The lines of the verdict at one length: "words: specs"."""
    column = 2 if claims.enough else 1
    want = {}
    if length > LENGTHS[0]:
        want = {WORDS[kind][column]: specs
                for kind, specs in claims.changes(length).items()}
    lowest = claims.lowest(length)
    if lowest:
        words = LOWEST[min(3, claims.losses.seeds)][len(lowest) > 1]
        want[words] = claims.named(lowest)
    found = {line.split(":")[0]: specs_in(line) for line in lines}
    numbers.same(f"the verdict at {length}", str(tidy(found)),
                 str(tidy(want)))


def check_verdict(numbers, claims, declared, order, text):
    exact, advised = None, set()
    for item in text.split("\n\n"):
        lines = [line for line in item.split("\n") if line]
        heading = lines and re.search(r"At (\d+) (bytes|tokens)$", lines[0])
        if heading:
            check_length(numbers, claims, int(heading[1]), lines[1:])
        elif "was declared beforehand" in item:
            exact = specs_in(item)
        elif "with a probability of" in item:
            advised = specs_in(item)
    numbers.same("the exact claims", str(sorted(exact or [])),
                 str(sorted(claims.exact(declared))))
    got = numbers.document["order"]
    seeds = got["seeds"]
    wanted = (order and got["power"] is not None and
              all(claims.is_judged(i, numbers.judged) for i in order) and
              not (seeds and seeds <= claims.losses.seeds))
    numbers.same("whether more seeds are advised", str(sorted(advised)),
                 str(sorted(claims.named(order)) if wanted else []))


def check_words(numbers, claims, declared, order, failed, page):
    silent = f"No verdict: gate {failed} failed"
    for key in ("finding", "verdict"):
        numbers.same(f"silence of the {key}",
                     "No verdict" in page.text[key], failed is not None)
        if failed and silent not in page.text[key]:
            numbers.faults.append(f"the {key} does not say '{silent}'")
    if not failed:
        check_finding(numbers, claims, page.text["finding"])
        check_verdict(numbers, claims, declared, order, page.text["verdict"])
    length = min(1024, numbers.judged)
    for row in page.text["compare"].split("\n"):
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) > 4 and cells[0] in claims.losses.specs:
            i = claims.losses.specs.index(cells[0])
            numbers.same(f"the change of {cells[0]}", cells[4],
                         WORDS["unjudged" if failed else
                               claims.change(i, length)][3])
    bold, place = set(), {}
    for key, test in claims.tests.all.items():
        if key[0] == "change":
            continue
        place[key[:2]] = place.get(key[:2], -1) + 1
        if claims.enough and test.corrected < ALPHA:
            bold.add(f"pairs.{key[0]}.{key[1]}.pairs.{place[key[:2]]}")
    for path in sorted(bold ^ page.bold):
        numbers.faults.append(f"{path}: bold, or a claim, but not both")
    numbers.compared += len(place) and sum(place.values())


def check(page, document, losses):
    """The comparison, with its faults, and the number of claims."""
    numbers = Numbers(document, losses)
    for i, row in enumerate(document["rows"]):
        numbers.row(i, row)
    numbers.pairs()
    declared, order = numbers.declared(), numbers.order()
    claims = Claims(numbers, numbers.context())
    failed = check_gates(numbers, claims)
    check_words(numbers, claims, declared, order, failed, page)
    return numbers, len(list(claims.made())) if claims.enough else 0


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        page = Page(file.read())
    with open(sys.argv[2], encoding="utf-8") as file:
        document = json.load(file)
    numbers, made = check(page, document, Losses(document, sys.argv[3]))
    for fault in numbers.faults:
        print(fault)
    print(f"{numbers.compared} numbers and sentences, {made} claims of the "
          f"verdict, {len(numbers.faults)} faults")
    sys.exit(1 if numbers.faults else 0)


if __name__ == "__main__":
    main()
