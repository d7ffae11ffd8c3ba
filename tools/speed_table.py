#!/usr/bin/env python3
"""Print the table "compared with the peak" of docs/SPEED.md from kept runs.

usage: tools/speed_table.py RUN...

RUN is a file that 'locant bench --append' kept, or a folder of them, as 'make
bench-table' leaves it; all of them together make one table for each instruction
set that they name.  A value is that of the fastest sample; in brackets, of the
median.  Goals are judged by the fastest.  Rows that were not run are left out.
"""
import json
import os
import sys
from typing import NamedTuple, Optional

BIASES = ["alibi(symmetric=yes)", "t5", "kerple", "rope", "fire(length=2048)"]
HEADS = {"forward": {2048: 8, 8192: 2}, "backward": {2048: 4, 8192: 2}}


class Row(NamedTuple):
    work: str
    goal: Optional[float]
    cases: list
    value: str = "of_peak"


# ------------------------------------------------------------------ the table

def rotate_rows(avx512):
    tail, far = "[1, 32, 4096, 128]", "[1, 32, 32768, 128]"
    for dtype in "", " bf16", " f16":
        cases = [f"rotate rope{dtype} {tail}",
                 f"rotate rope(pairing=interleaved){dtype} {tail}"]
        if dtype:
            yield Row(f"rotate in place{dtype}, 32 MiB: half, interleaved",
                      .85 if avx512 else None, cases)
        else:
            yield Row("rotate in place f32, 64 MiB: half, interleaved, q and k "
                      "in one call", .90, cases + [f"rotate q and k rope {tail}"])
    yield Row("rotate in place, 256 MiB: bf16, f16", .75,
              [f"rotate rope {d} {far}" for d in ("bf16", "f16")])
    yield Row("rotate to another place, time over that in place: f32, 512 MiB; "
              "bf16, 256 MiB", 1.20,
              [f"rotate to another place rope{d} {far}" for d in ("", " bf16")],
              "slower")
    yield Row("rerotate, 16 MiB", None, ["rerotate rope [1, 8, 4096, 128]"])


def input_rows(avx512):
    for kind in "learned(length=%d)", "sinusoidal":
        cases = ["add " + (kind % n if "%" in kind else kind) + f" [{b}, {n}, {n}]"
                 for b, n in ((1, 4096), (16, 1024))]
        yield Row(f"input add, {kind.split('(')[0]}: [1,4096,4096], "
                  "[16,1024,1024]", None if avx512 else .60, cases)


def attention(what, encoding, causal, tokens, dim, dtype=""):
    return (f"{what} {encoding}{dtype}{' causal' if causal else ''} "
            f"[1, {HEADS[what][tokens]}, {tokens}, {dim}]")


def attention_rows(what, avx512):
    for tokens in 2048, 8192:
        for dim in 64, 128:
            goal = .80 if avx512 or (what, dim) == ("forward", 128) else .74
            yield Row(f"{what} f32 T=S={tokens} D={dim}: full, causal", goal,
                      [attention(what, "none", causal, tokens, dim)
                       for causal in (False, True)])
    for encoding in BIASES:
        name = encoding.split("(")[0]
        no_goal = avx512 and (name == "fire" or what == "backward")
        for causal in False, True:
            yield Row(f"{what} with `{name}`, {'causal' if causal else 'full'}: "
                      "of plain, T=2048, 8192 x D=64, 128",
                      None if no_goal else .90 if avx512 else .95,
                      [attention(what, encoding, causal, tokens, dim)
                       for tokens in (2048, 8192) for dim in (64, 128)],
                      "of_baseline")


def storage_rows(avx512):
    for what, encodings, dims in (("forward", ("none", "rope"), (64, 128)),
                                  ("backward", ("none",), (64,))):
        yield Row(f"{what}, bf16 inputs, T=2048: speed over f32's, "
                  + ", ".join(f"`{e}` D={d}" for e in encodings for d in dims),
                  1.50 if avx512 else None,
                  [attention(what, e, False, 2048, d, " bf16")
                   for e in encodings for d in dims], "of_baseline")


def decode_rows(avx512):
    on = "[1, %d, 1, 128] on [1, 8, 32768, 128]"
    group = on % 32
    yield Row("decode f32, 1 query on [1,8,32768,128]: groups of 1, of 4, of 4 "
              "with keys rotated before", .85,
              [f"decode none {on % 8}", f"decode none {group}",
               f"decode, post-RoPE keys rope {group}"])
    yield Row("the same, groups of 4: bf16 cache", .85,
              [f"decode none bf16 {group}"])
    yield Row("the same, groups of 4: f16 cache", .85 if avx512 else .75,
              [f"decode none f16 {group}"])
    yield Row("the same, groups of 4: `rope` on raw keys",
              .85 if avx512 else .65, [f"decode rope {group}"])
    yield Row("the same, groups of 4: `alibi`", .85, [f"decode alibi {group}"])


def rows(avx512):
    yield from rotate_rows(avx512)
    yield Row("angles, table of 64 rows, ns/pair", 1.3 if avx512 else 2.0,
              ["table [64, 128]"], "ns_each")
    yield from input_rows(avx512)
    yield from attention_rows("forward", avx512)
    yield from attention_rows("backward", avx512)
    yield from storage_rows(avx512)
    yield from decode_rows(avx512)
    yield Row("memory beyond inputs and outputs, forward and backward, t5 "
              "causal, [1,8,32768,64], MiB", 16,
              ["forward and backward t5 causal [1, 8, 32768, 64]"], "speed")


# ------------------------------------------------------------------- its cells

AT_MOST = ("slower", "ns_each", "speed")  # the others should be at least so


def values(row, what):
    """By the fastest sample and by the median; None if it was not measured."""
    if what == "slower":
        both = values(row, "of_baseline")
        return both and (1 / both[0], 1 / both[1])
    if what == "ns_each":
        pairs = row["tokens"] * row["dim"] / 2
        return row["min_ns"] / pairs, row["median_ns"] / pairs
    if what == "speed":
        return (row["speed"],) if "speed" in row else None
    if row.get(what) is None:
        return None
    return row[what], row[what + "_median"]


def cell(both):
    if both is None:
        return "-"
    return f"{both[0]:.2f}" + (f" ({both[1]:.2f})" if len(both) > 1 else "")


def verdict(row, found):
    if row.goal is None:
        return ""
    sign = -1 if row.value in AT_MOST else 1
    # as printed, with two digits
    held = sum(v is not None and sign * v[0] >= sign * row.goal - .005
               for v in found)
    if held == len(found):
        return "holds"
    return f"{held} of {len(found)} hold" if held else "short"


def table(found, isa):
    """The table's lines, of the results in found: {(case, isa): row}."""
    yield "| work | goal | fastest (median) | |"
    yield "|---|---|---|---|"
    for row in rows(isa.startswith("avx512")):
        results = [found.get((case, isa)) for case in row.cases]
        if not any(results):
            continue
        cells = [r and values(r, row.value) for r in results]
        sign = "<=" if row.value in AT_MOST else ">="
        goal = f"{sign} {row.goal:g}" if row.goal else ""
        yield (f"| {row.work} | {goal} | {', '.join(map(cell, cells))} | "
               f"{verdict(row, cells)} |")


# ----------------------------------------------------------------- the machine

def span(heads, key):
    known = [h[key] for h in heads if h.get(key)]
    if not known:
        return "none"
    low, high = f"{min(known):.0f}", f"{max(known):.0f}"
    return low if low == high else f"{low} to {high}"


def each(heads, key):
    return ", ".join(sorted({str(h[key]) for h in heads}))


def machine(heads, isa):
    dates = sorted(h["date"] for h in heads)
    return (f"{each(heads, 'cpu')}, {isa}, threads {each(heads, 'threads')}, "
            f"{dates[0]} to {dates[-1]}, commit {each(heads, 'commit')}, "
            f"{each(heads, 'compiler')}.\nPeaks meanwhile: streaming in place "
            f"{span(heads, 'stream_gbps')} GB/s, reading "
            f"{span(heads, 'read_gbps')} GB/s (64 MiB), FMA "
            f"{span(heads, 'fma_gflops')} GFLOP/s, bfloat16 dot products "
            f"{span(heads, 'bf16_gflops')}.\n")


def files(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from (os.path.join(path, name)
                        for name in sorted(os.listdir(path)))
        else:
            yield path


def read(paths):
    """The heads and the rows of runs, one object on each line."""
    heads, found = [], []
    for path in files(paths):
        with open(path, encoding="utf-8") as f:
            for line in map(json.loads, f):
                (found if "case" in line else heads).append(line)
    return heads, found


def main(paths):
    heads, found = read(paths)
    # angles are also timed on sets that were not asked for
    isas = {r["isa"] for r in found if r["subject"] != "angles"} - {"-"}
    for isa in sorted(isas | {h["isa"] for h in heads}):
        # the peaks of its own runs, if there were any
        own = [h for h in heads if h["isa"] == isa]
        print(machine(own or heads, isa))
        print("\n".join(table({(r["case"], r["isa"]): r for r in found}, isa)))
        print()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
