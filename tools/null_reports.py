#!/usr/bin/env python3
"""How often does a report claim what is not true?

usage: null_reports.py STORE [--reports N] [--encodings N] [--seeds N]
                       [--shift NATS] [--program FILE]

STORE has at least 24 finished, evaluated runs of one encoding that differ in
their seeds alone, such as those of

    locant report --preset smoke --encodings rope --seeds 72 --dir STORE

Each of N reports (2000) draws from them the runs of N encodings (8) with N
seeds (9) each, all of which are in truth the same encoding.  The statistics of
the page, in C, then make its claims (tests/null_reports.c; no text, the same
numbers and the same decisions), and every claim is false.

What is assumed: the runs are exchangeable, that is, each is an independent
draw of a seed (initial weights and order of batches) from the same law.  So
any assignment of runs to encodings and to pairs is as likely as any other.
Runs are drawn without replacement if there are enough of them (reports are
then random divisions of the pool, and the null hypothesis holds exactly), else
each from the whole pool (it holds for the law that gives each run of the pool
the same probability).  In a true report the two runs of a pair share their seed,
hence the order of their batches; here pairs are made at random, so that losses
of a pair are independent.  The blocks of test text are the same for all runs
and are not drawn again: claims are about seeds, on this text.

Changes from the trained length are true of these models, so each length is
shifted until the mean of the pool does not change; for the same reason all runs
lose a nat without their context, or the page would claim nothing beyond the
trained length.

Prints the share of reports with a false claim, by kind, with the upper bound of
its one-sided 95 % interval (Clopper and Pearson, Biometrika 26 (1934)).  Exit 1
if more than 5 % of the reports have a false one in a family of claims.  With
--shift, the loss of the first encoding is that much higher, and the share of
reports that find it is printed as well: then claims are possible.
"""
import argparse
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEVEL, MOST = 0.95, 0.05
KINDS = {
    "lowest": "the verdict names the lowest losses, and others are above",
    "ranks": "a rank other than 1",
    "pairs": "a bold difference of two losses, at five lengths",
    "gains": "a bold difference of two gains",
    "changes": "a loss that changes with the length",
    "exact": "the declared change, by the exact test",
}
FAMILIES = {
    "differences": ("lowest", "ranks", "pairs", "gains"),
    "changes with length": ("changes", "exact"),
}


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def at_most(k, n, p):
    """P(X <= k) for a binomial X."""
    if p <= 0 or p >= 1:
        return float(p <= 0 or k >= n)
    return math.fsum(math.exp(log_choose(n, i) + i * math.log(p) +
                              (n - i) * math.log1p(-p))
                     for i in range(k + 1))


def upper_bound(k, n):
    """The p at which k or fewer of n have a probability of 1 - LEVEL."""
    if k >= n:
        return 1.0
    low, high = k / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = ((middle, high) if at_most(k, n, middle) > 1 - LEVEL
                     else (low, middle))
    return high


def run(options):
    done = subprocess.run(
        [options.program, options.store, str(options.reports),
         str(options.encodings), str(options.seeds), repr(options.shift)],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(1)
    head, *lines = done.stdout.split()
    rows = [[int(x) for x in line.split(",")] for line in lines]
    names = head.replace("_", " ").split(",")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def share(lists):
    """How many reports have a claim in one of the lists."""
    return sum(any(counts) for counts in zip(*lists))


def line(name, hits, n, text=""):
    print(f"{name:>20} {hits:6d} of {n} = {100 * hits / n:5.2f} %, at most "
          f"{100 * upper_bound(hits, n):5.2f} %{text}")


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    p.add_argument("store")
    p.add_argument("--reports", type=int, default=2000)
    p.add_argument("--encodings", type=int, default=8)
    p.add_argument("--seeds", type=int, default=9)
    p.add_argument("--shift", type=float, default=0.0)
    p.add_argument("--program", default=os.path.join(
        ROOT, "build/test/tests/null_reports"))
    options = p.parse_args()
    counts = run(options)
    n = options.reports
    print(f"{n} reports of {options.encodings} encodings that are one, with "
          f"{options.seeds} seeds each; reports with a false claim:")
    for kind, text in KINDS.items():
        line(kind, share([counts[kind]]), n, f"  {text}")
    worst = 0
    for family, kinds in FAMILIES.items():
        hits = share([counts[kind] for kind in kinds])
        worst = max(worst, hits)
        line(family, hits, n, "  any of: " + ", ".join(kinds))
    line("any", share([counts[kind] for kind in KINDS]), n)
    if options.shift:
        print(f"reports that find the encoding whose loss is {options.shift:g} "
              "nats per byte higher:")
        for kind in KINDS:
            if any(counts[kind + " found"]):
                line(kind, share([counts[kind + " found"]]), n)
    sys.exit(worst > MOST * n)


if __name__ == "__main__":
    main()
