"""The numbers of a page about losses, from raw losses: for page_claims.py."""
import csv
import math
import os

import numpy as np

import claims_statistics as st

ALPHA, USES, TESTED_SEEDS = 0.05, 0.2, 3
LENGTHS = [128 << k for k in range(5)]
CHANGED = ("shuffled", "replaced", "truncated")
MEASURES = ("P1", "P3", "P4", *CHANGED, "logn", "clamp", "wrap", "resample")


# ---------------------------------------------------------------- the losses

def read(folder, table):
    with open(os.path.join(folder, table + ".csv"), newline="",
              encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measure_of(evaluation):
    """Which measure of the page an evaluation is; None: of a long job."""
    if evaluation["lengths"]:
        return None
    if evaluation["policy"] in ("clamp", "wrap", "resample"):
        return evaluation["policy"]
    if evaluation["encoding"].startswith("temperature(kind=logn"):
        return "logn"
    return "" if not evaluation["encoding"] + evaluation["policy"] else None


class Losses:
    """loss[measure][encoding, seed, length, block]; NAN: undefined."""

    def __init__(self, document, folder):
        rows, blocks = document["rows"], document["protocol"]["blocks"]
        self.specs = [row["encoding"] for row in rows]
        self.seeds = max(len(row["runs"]) for row in rows)
        self.counts = [len(row["runs"]) for row in rows]
        self.runs = {int(r["run"]): r for r in read(folder, "runs")}
        self.place = {run["run"]: (i, s) for i, row in enumerate(rows)
                      for s, run in enumerate(row["runs"])}
        self.seed = [[self.runs[run["run"]]["seed"] for run in row["runs"]]
                     for row in rows]
        shape = (len(rows), self.seeds, len(LENGTHS), blocks)
        self.loss = {m: np.full(shape, np.nan) for m in MEASURES}
        self.known = {}    # (encoding, seed): its row of evaluations
        self.causality = 0.0
        of = {}
        for e in read(folder, "evaluations"):
            measure = measure_of(e)
            if (int(e["run"]) in self.place and measure is not None and
                    e["corpus_sha256"] == document["corpus"]["sha256"] and
                    int(e["blocks"]) == blocks):
                of[e["id"]] = self.place[int(e["run"])], measure
                if measure == "":
                    self.known[self.place[int(e["run"])]] = e
        for row in read(folder, "losses"):
            if row["evaluation"] in of:
                self.take(row, *of[row["evaluation"]])
        self.plans = read(folder, "plans")
        self.tests = Tests(self)
        self.described = {}  # by path, for they take time

    def take(self, row, place, measure):
        protocol, block = row["protocol"], int(row["block"])
        value = float(row["loss"]) if row["loss"] else math.nan
        if measure and protocol != "P1" or protocol not in MEASURES:
            return
        name = measure or protocol
        if name in ("P4", *CHANGED):  # the same at every length
            self.loss[name][place][:, block] = value
        else:
            k = LENGTHS.index(int(row["length"]))
            self.loss[name][place][k, block] = value

    def has(self, measure):
        return not np.isnan(self.loss[measure]).all()

    def of(self, i, measure, k):
        """[seeds, blocks] of an encoding; it may have fewer seeds."""
        return self.loss[measure][i, :self.counts[i], k]

    def means(self, measure, k):
        """[encodings, seeds] over blocks."""
        return self.loss[measure][:, :, k].mean(axis=2)

    def paired(self, x, i, j):
        """x[encodings, seeds] of i minus that of j at the seeds of both."""
        own, other = self.seed[i], self.seed[j]
        return [x[i][s] - x[j][other.index(seed)]
                for s, seed in enumerate(own) if seed in other]


# ------------------------------------------------------------------ the tests

class Tests:
    """All paired tests of the page, corrected together."""

    def __init__(self, losses):
        n, self.losses = len(losses.specs), losses
        self.enough = losses.seeds >= TESTED_SEEDS
        self.all = {}
        p1 = [losses.means("P1", k) for k in range(len(LENGTHS))]
        for k, length in enumerate(LENGTHS):
            for i in range(n):
                if k > 0:
                    change = p1[k][i] - p1[0][i]
                    self.add(("change", length, i), change[:losses.counts[i]])
                for j in range(i + 1, n):
                    self.add(("loss", length, i, j),
                             losses.paired(p1[k], i, j))
        if losses.has("P4"):
            gain = losses.means("P4", -1) - p1[-1]
            for i in range(n):
                for j in range(i + 1, n):
                    self.add(("gain", LENGTHS[-1], i, j),
                             losses.paired(gain, i, j))
        keys = [key for key in self.all if not math.isnan(self.all[key].p)]
        self.comparisons = len(keys)
        holm = st.holm([self.all[key].p for key in keys])
        for key, p in zip(keys, holm):
            self.all[key].corrected = p
        needed = TESTED_SEEDS if self.enough else 1
        self.average = [[losses.of(i, "P1", k).mean()
                         if losses.counts[i] >= needed else math.nan
                         for i in range(n)] for k in range(len(LENGTHS))]

    def add(self, key, differences):
        """A test of too few seeds has no p where others have enough."""
        test = self.all[key] = st.Paired(differences)
        if self.enough and test.seeds < TESTED_SEEDS:
            test.p = test.exact = math.nan

    def shows(self, test):
        """Does the page claim that the difference is not zero?"""
        return (test.corrected < ALPHA if self.enough else test.sign != 0)

    def difference(self, length, i, j):
        """Loss of encoding i minus that of j."""
        if i < j:
            return self.all["loss", length, i, j]
        return self.all["loss", length, j, i].negated()

    def lowest(self, length):
        """The encoding of the lowest loss, or None."""
        average = self.average[LENGTHS.index(length)]
        return None if np.isnan(average).all() else int(np.nanargmin(average))

    def is_above(self, length, i):
        first = self.lowest(length)
        if first is None or i == first:
            return False
        test = self.difference(length, i, first)
        return test.corrected < ALPHA if self.enough else test.sign == 1

    def rank(self, length, i):
        if math.isnan(self.average[LENGTHS.index(length)][i]):
            return None
        above = (self.difference(length, i, j)
                 for j in range(len(self.losses.specs)) if j != i)
        return 1 + sum(t.mean > 0 and t.corrected < ALPHA if self.enough
                       else t.sign == 1 for t in above)


# ---------------------------------------------------------- numbers, recomputed

class Numbers:
    """Compares numbers of the document with recomputed ones."""

    def __init__(self, document, losses):
        self.document, self.losses, self.tests = document, losses, losses.tests
        self.faults, self.compared = [], 0
        self.judged = document["protocol"]["judged"]

    def same(self, path, got, want, tolerance=1e-9):
        """'want' is recomputed; NAN is null."""
        self.compared += 1
        null = want is None or isinstance(want, float) and math.isnan(want)
        if isinstance(want, (bool, str)) or null or got is None:
            agree = got == want or null and got is None
        else:
            agree = abs(got - want) <= tolerance * max(1, abs(want))
        if not agree:
            self.faults.append(f"{path}: {got} on the page, {want} by the "
                               "losses")

    def interval(self, path, got, x):
        """Mean, errors and bootstrap of x [seeds, blocks]."""
        known = self.losses.described
        if path not in known:
            known[path] = st.describe(x)
        mean, seed, data, low, high = known[path]
        self.same(path + ".mean", got["mean"], mean)
        self.same(path + ".seed_error", got["seed_error"], seed)
        self.same(path + ".data_error", got["data_error"], data)
        # Both are bootstraps of 2000, with random numbers of their own: their
        # quantiles vary by .06 of the standard error each.
        wide = 0.4 * (np.nan_to_num(seed) ** 2 + np.nan_to_num(data) ** 2) ** .5
        for name, want in (("low", low), ("high", high)):
            self.same(f"{path}.{name}", got[name], want, max(wide, 1e-12))

    def paired(self, path, got, test, names=("half", "p", "corrected")):
        for name in ("mean", *names):
            self.same(f"{path}.{name}", got[name], getattr(test, name))
        self.same(path + ".sign", got["sign"], test.sign)

    def parts(self, i, row):
        """Intervals of losses and of their differences."""
        of = self.losses.of
        for k, length in enumerate(LENGTHS):
            p1 = of(i, "P1", k)
            parts = {"loss": p1}
            if k > 0:
                parts["change"] = p1 - of(i, "P1", 0)
            for name, measure in (("non_overlapping", "P3"), ("logn", "logn"),
                                  ("clamp", "clamp"), ("wrap", "wrap"),
                                  ("resample", "resample")):
                if self.losses.has(measure) and (k > 0 or measure == "P3"):
                    parts[name] = of(i, measure, k)
            if self.losses.has("P4"):
                parts["gains"] = of(i, "P4", k) - p1
            if "logn" in parts:
                parts["logn_change"] = parts["logn"] - p1
            for name, x in parts.items():
                self.interval(f"rows.{i}.{name}.{length}",
                              row[name][str(length)], x)
            mean, half = st.t_interval(p1.mean(axis=1))
            own = row["lengths"][str(length)]
            self.same(f"rows.{i}.lengths.{length}.loss", own["loss"], mean)
            self.same(f"rows.{i}.lengths.{length}.half_width",
                      own["half_width"], half)

    def row(self, i, row):
        tests = self.tests
        self.parts(i, row)
        for length in LENGTHS:
            if length > LENGTHS[0]:
                self.paired(f"rows.{i}.change.{length}",
                            row["change"][str(length)],
                            tests.all["change", length, i])
            first = tests.lowest(length)
            behind = (st.Paired([]) if first in (None, i)
                      else tests.difference(length, i, first))
            self.paired(f"rows.{i}.behind.{length}",
                        row["behind"][str(length)], behind)
            self.same(f"rows.{i}.ranks.{length}", row["ranks"][str(length)],
                      tests.rank(length, i))
        self.same(f"rows.{i}.rank", row["rank"], tests.rank(self.judged, i))
        beyond = [x for x in LENGTHS[1:] if x <= self.judged]
        self.same(f"rows.{i}.mean_reciprocal_rank",
                  row["mean_reciprocal_rank"],
                  sum(1 / r for r in (tests.rank(x, i) for x in beyond) if r) /
                  len(beyond))
        own = self.losses.of(i, "P4", 0).mean()
        self.same(f"rows.{i}.own_window", row["own_window"], own)
        self.same(f"rows.{i}.gain", row["gain"],
                  own - self.losses.of(i, "P1", -1).mean())
        for s, run in enumerate(row["runs"]):
            self.run(i, s, f"rows.{i}.runs.{s}", run)

    def run(self, i, s, path, run):
        raw = self.losses.runs.get(run["run"], {})
        for key, want in (("encoding", self.losses.specs[i]),
                          ("seed", str(run["seed"])), ("status", "done")):
            self.same(f"{path}.{key}", raw.get(key), want)
        for k, loss in enumerate(run["loss"]):
            self.same(f"{path}.loss.{k}", loss,
                      self.losses.loss["P1"][i, s, k].mean())
        for name, measure in (("own_window", "P4"), *zip(CHANGED, CHANGED)):
            self.same(f"{path}.{name}", run[name],
                      self.losses.loss[measure][i, s, 0].mean())

    # ------------------------------------------------- comparisons, power, use

    def pairs(self):
        for measure, lengths in self.document["pairs"].items():
            for length, table in lengths.items():
                found = [(key, t) for key, t in self.tests.all.items()
                         if key[:2] == (measure, int(length))]
                path = f"pairs.{measure}.{length}"
                self.same(path, len(table["pairs"]), len(found))
                for k, (got, (key, test)) in enumerate(zip(table["pairs"],
                                                           found)):
                    at = f"{path}.pairs.{k}"
                    for name, index in (("first", 2), ("second", 3)):
                        self.same(f"{at}.{name}", got[name],
                                  self.losses.specs[key[index]])
                    self.paired(at, got, test)
        self.same("claims.comparisons",
                  self.document["claims"]["comparisons"],
                  self.tests.comparisons)

    def power(self, path, got, test, alpha, least):
        power = st.power(test.mean, test.deviation, test.seeds, alpha)
        if test.seeds < least and not math.isnan(power):
            power = 0.0
        self.same(path + ".power", got["power"], power, 1e-4)
        needed = st.power_seeds(test.mean, test.deviation, alpha)
        self.same(path + ".seeds", got["seeds"],
                  max(needed, least) if needed else math.nan)

    def declared(self):
        length = min(1024, self.judged)
        tests = [self.tests.all["change", length, i]
                 for i in range(len(self.losses.specs))]
        tested = [t for t in tests if not math.isnan(t.exact)]
        n, got = len(tested), self.document["declared"]
        holm = dict(zip(map(id, tested), st.holm([t.exact for t in tested])))
        needed = st.flip_seeds(n, ALPHA)
        least = 2.0 ** (1 - self.losses.seeds) if n else math.nan
        for key, want in (("length", length), ("comparisons", n),
                          ("least_p", least), ("least_holm", min(1, n * least)),
                          ("seeds", needed or math.nan)):
            self.same("declared." + key, got[key], want)
        for i, test in enumerate(tests):
            own, path = self.document["rows"][i]["declared"], f"rows.{i}.declared"
            test.holm = holm.get(id(test), math.nan)
            for key, want in (("mean", test.mean), ("half", test.half),
                              ("p", test.exact), ("holm", test.holm)):
                self.same(f"{path}.{key}", own[key], want)
            if n:
                self.power(path, own, test, ALPHA / n, needed)
        return tests

    def order(self):
        """The two encodings of the lowest loss, or None."""
        got, first = self.document["order"], self.tests.lowest(self.judged)
        others = {} if first is None else {
            i: self.tests.difference(self.judged, i, first)
            for i in range(len(self.losses.specs)) if i != first}
        others = {i: t for i, t in others.items() if not math.isnan(t.mean)}
        if not others:
            self.same("order.first", got["first"], None)
            return None
        after = min(others, key=lambda i: others[i].mean)
        for key, i in (("first", first), ("next", after)):
            self.same("order." + key, got[key], self.losses.specs[i])
        self.power("order", got, others[after],
                   ALPHA / max(1, self.tests.comparisons), 0)
        return first, after

    def context(self):
        """Whether each encoding uses its context: True, False, None."""
        uses = []
        for name in CHANGED:
            x = self.losses.loss[name][:, :, 0] - self.losses.loss["P1"][:, :, 0]
            found = st.crossed(x, self.losses.counts)
            for i, row in enumerate(self.document["rows"]):
                got = row["context"][name]
                for key, want in found[i].items():
                    self.same(f"rows.{i}.context.{name}.{key}", got[key], want)
            if name == "replaced":
                self.cost = [f["mean"] for f in found]
                uses = [None if math.isnan(f["low"]) else f["low"] > USES
                        for f in found]
        for i, row in enumerate(self.document["rows"]):
            self.same(f"rows.{i}.context.uses", row["context"]["uses"], uses[i])
        return uses
