#!/usr/bin/env python3
"""Print the table of docs/SPEED.md from runs that 'make bench' kept.

usage: tools/speed_table.py PART.json[,PART.json...] [RUN...]

Each argument is one run, which may have several parts.  Several runs are
separated by ' / ' in the table.  "Of peak" compares the fastest samples; in
brackets, the medians.  A goal is judged by the fastest samples of every run.
"""
import json
import sys

ENCODINGS = ["alibi", "t5", "kerple", "rope", "fire(length=2048)"]
HEADS = {"forward": {2048: 8, 8192: 2}, "backward": {2048: 4, 8192: 2}}


def product(what, encoding, causal, tokens, dim):
    name = f"{what} {encoding}"
    if encoding == "alibi":
        name = f"{what} alibi(symmetric=yes)"
    return (f"{name}{' causal' if causal else ''} "
            f"[1, {HEADS[what][tokens]}, {tokens}, {dim}]")


def rows():
    """The table's rows: (work, goal, cases, which ratio)."""
    tail = "[1, 32, 4096, 128]"
    for dtype, goal in (("", .90), (" bf16", .85), (" f16", .85)):
        cases = [f"rotate rope{dtype} {tail}",
                 f"rotate rope(pairing=interleaved){dtype} {tail}"]
        more = "" if dtype else ", q and k in one call"
        yield (f"rotate in place{dtype or ' f32'} [1,32,4096,128]: half, "
               f"interleaved{more}", goal,
               cases + ([] if dtype else [f"rotate q and k rope {tail}"]),
               "of_peak")
    yield ("rerotate [1,8,4096,128] (32 MiB, of the third cache)", None,
           ["rerotate rope [1, 8, 4096, 128]"], "of_peak")
    for kind in ("learned(length=%d)", "sinusoidal"):
        name = kind.split("(")[0]
        yield (f"input add, {name}: [1,4096,4096], [16,1024,1024]", None,
               ["add " + (kind % n if "%" in kind else kind) + f" [{b}, {n}, {n}]"
                for b, n in ((1, 4096), (16, 1024))], "of_peak")
    for what, goal in (("forward", .70), ("backward", .60)):
        for tokens in (2048, 8192):
            for dim in (64, 128):
                yield (f"{what} f32 T=S={tokens} D={dim}: full, causal", goal,
                       [product(what, "none", c, tokens, dim)
                        for c in (False, True)], "of_peak")
        for encoding in ENCODINGS if what == "forward" else []:
            for causal in (False, True):
                yield (f"forward with `{encoding}`, "
                       f"{'causal' if causal else 'full'}: of plain, T=2048, "
                       "8192 x D=64, 128",
                       None if encoding.startswith("fire") else .90,
                       [product(what, encoding, causal, t, d)
                        for t in (2048, 8192) for d in (64, 128)], "of_baseline")
    for what, encodings, dims in (("forward", ("none", "rope"), (64, 128)),
                                  ("backward", ("none",), (64,))):
        yield (f"{what}, bf16 inputs, T=2048: speed over f32's, "
               + ", ".join(f"`{e}` D={d}" for e in encodings for d in dims),
               1.50, [f"{what} {e} bf16 [1, {HEADS[what][2048]}, 2048, {d}]"
                      for e in encodings for d in dims], "of_baseline")
    on = "[1, %d, 1, 128] on [1, 8, 32768, 128]"
    yield ("decode f32, 1 query on [1,8,32768,128]: groups of 1, of 4, of 4 "
           "with post-RoPE keys", .85,
           ["decode none " + on % 8, "decode none " + on % 32,
            "decode, post-RoPE keys rope " + on % 32], "of_peak")
    yield ("the same, groups of 4: bf16, f16 caches", .85,
           [f"decode none {d} " + on % 32 for d in ("bf16", "f16")], "of_peak")
    yield ("the same, groups of 4: `rope` on raw keys, `alibi`", .85,
           ["decode rope " + on % 32, "decode alibi " + on % 32], "of_peak")


def cell(row, which):
    if row is None or row[which] is None:
        return "-"
    return f"{row[which]:.2f} ({row[which + '_median']:.2f})"


def verdict(goal, values):
    held = sum(v >= goal - .005 for v in values)
    if held == len(values):
        return "holds"
    return f"{held} of {len(values)} hold" if held else "short"


def rows_of_file(text):
    """The rows of a kept run, one per line, or of the output of --json."""
    try:
        return json.loads(text)["rows"]
    except json.JSONDecodeError:
        rows = [json.loads(line) for line in text.splitlines()]
        return [r for r in rows if "case" in r]


def main(paths):
    runs = []
    for path in paths:
        runs.append({})
        for part in path.split(","):
            with open(part, encoding="utf-8") as f:
                text = f.read()
            runs[-1].update((r["case"], r) for r in rows_of_file(text))
    print("| work | goal | of peak: fastest (median) | |\n|---|---|---|---|")
    for work, goal, cases, which in rows():
        found = [[run.get(c) for run in runs] for c in cases]
        text = ", ".join(" / ".join(cell(r, which) for r in each)
                         for each in found)
        values = [r[which] for each in found for r in each
                  if r is not None and r[which] is not None]
        say = verdict(goal, values) if goal and values else ""
        goal = f"{goal:.2f}" if goal else ""
        print(f"| {work} | {goal} | {text} | {say} |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
