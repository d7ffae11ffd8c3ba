"""Prints conditions, rows and goals as Markdown, or all as JSON."""
import json
import math
from dataclasses import asdict

HEAD = ("| case | contender | ms | speed | its time / ours | quartiles "
        "| differs by |")


def number(x):
    if math.isnan(x):
        return ""
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def line(row):
    name = f"| {row.case} | {row.contender} |"
    if row.cannot:
        said = row.cannot.replace("|", "\\|")
        return f"{name} cannot: {said} | | | | |"
    spread = ""
    if not math.isnan(row.low):
        spread = f"{row.low:.2f} .. {row.high:.2f}"
    differs = "" if math.isnan(row.distance) else f"{row.distance:.1e}"
    if not row.agrees:
        differs += " (disagrees)"
    ratio = "" if math.isnan(row.ratio) else f"{row.ratio:.2f}"
    return (f"{name} {number(row.ms)} | {number(row.speed)} {row.unit} "
            f"| {ratio} | {spread} | {differs} |")


def print_conditions(conditions):
    print("# Locant and its peers\n")
    for name, value in conditions.items():
        print(f"- {name}: {value}")
    print(f"\n{HEAD}\n{'|---' * 7}|", flush=True)


def print_rows(rows):
    for row in rows:
        print(line(row), flush=True)


def verdict(row):
    if row.cannot or math.isnan(row.ratio):
        return "not measured"
    return "holds" if row.ratio >= row.goal else "falls short"


def print_goals(rows):
    aimed = [row for row in rows if row.goal]
    if aimed:
        print("\n| goal: its time / ours, at least | is | |\n|---|---|---|")
    for row in aimed:
        print(f"| {row.case}, {row.contender}: {row.goal:g} "
              f"| {number(row.ratio)} | {verdict(row)} |")
    wrong = [row for row in rows if not row.agrees]
    for row in wrong:
        print(f"\n{row.case}: {row.contender} disagrees with ours")


def print_json(conditions, rows):
    def clean(value):
        odd = isinstance(value, float) and not math.isfinite(value)
        return None if odd else value
    print(json.dumps({
        "conditions": conditions,
        "rows": [{k: clean(v) for k, v in asdict(row).items()}
                 for row in rows]}, indent=1))
