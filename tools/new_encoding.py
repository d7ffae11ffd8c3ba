#!/usr/bin/env python3
"""Start a new encoding, or update the files that contain its texts.

usage: tools/new_encoding.py NAME     write src/encodings/NAME.c, its line of
                                      encodings.def and src/oracle/NAME.c, and
                                      list both in cmake/sources.cmake
       tools/new_encoding.py --accept [LOCANT]
                                      LOCANT (build/locant) is built: update its
                                      page and picture in docs/encodings, and
                                      the expected outputs that list encodings

NAME is a C identifier; '_' is '-' in specs.  The new files compile: they have a
linear bias and an oracle that agrees.  Replace formula, texts and both
functions; the tests of every encoding (oracles, traits, registry) then judge
them.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

ENCODING = """\
/*
 * {file}.c - what it is, in one line.
 *
 * Authors: Title. Year. arXiv:0000.00000, section 0.
 */
#include "encoding.h"

/* out[j] = b(head, q_pos, k_pos[j]) */
static void bias(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{{
    (void)c;
    (void)head;
    for (size_t j = 0; j < n; j++)
        out[j] = -(double)lct_distance(q_pos, k_pos[j]) / 16;
}}

const struct lct_encoding lct_enc_{file} = {{
    .info = {{
        .name = "{name}",
        .title = "{name}",
        .formula = "s[h,i,j] -= (p_i - p_j) / 16",
        .source = "Authors year, arXiv:0000.00000v1, section 0",
        .used_by = "research",
        .pitfalls = "",
        .gradient = "none: no parameters",
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE, /* of this bias */
    }},
    .score = {{ .bias = bias }},
}};
"""

ORACLE = """\
/* {file}.c - Authors year, arXiv:0000.00000v1, section 0: what it is. */
#include "oracle.h"

/* The specs that it judges; tests may draw more. */
static const struct oracle_spec specs[] = {{
    {{ .text = "{name}" }},
    {{ 0 }}
}};

/* The bias of one pair, from the paper. */
static cx bias(const struct oracle_call *call, int64_t b, int64_t h,
               int64_t i, int64_t j)
{{
    (void)h;
    return (oracle_position(call, 1, b, j) - oracle_position(call, 0, b, i)) /
           16.0;
}}

const struct oracle {file}_oracle = {{
    .name = "{name}", .specs = specs, .bias = bias,
}};
"""


def path(*parts):
    return os.path.join(ROOT, *parts)


def add_line(name):
    """Add a line to encodings.def, in alphabetical order."""
    file = path("src", "encodings", "encodings.def")
    with open(file, encoding="utf-8") as f:
        lines = f.read().splitlines()
    line = f"LCT_ENCODING({name})"
    if line in lines:
        sys.exit(f"{name} has a line in encodings.def already")
    at = next((i for i, x in enumerate(lines)
               if x.startswith("LCT_ENCODING(") and x > line), len(lines))
    lines.insert(at, line)
    with open(file, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def create(name):
    files = {path("src", "encodings", name + ".c"): ENCODING,
             path("src", "oracle", name + ".c"): ORACLE}
    for file in files:
        if os.path.exists(file):
            sys.exit(f"{os.path.relpath(file, ROOT)} exists already")
    add_line(name)
    for file, text in files.items():
        with open(file, "w", encoding="utf-8") as f:
            f.write(text.format(file=name, name=name.replace("_", "-")))
        print(os.path.relpath(file, ROOT))
    subprocess.run([path("tools", "sources.py")], cwd=ROOT, check=True)
    print("src/encodings/encodings.def\ncmake/sources.cmake")


def listing_cases():
    """Cases of tests/cli whose expected output lists the encodings."""
    folder = path("tests", "cli")
    cases = {"list"}
    for file in os.listdir(folder):
        if file.endswith((".stdout", ".stderr")):
            with open(os.path.join(folder, file), encoding="utf-8",
                      errors="replace") as f:
                if "known: alibi, " in f.read():
                    cases.add(file.rsplit(".", 1)[0])
    return sorted(cases)


def accept(locant):
    subprocess.run([path("scripts", "catalogue"), locant], cwd=ROOT,
                   check=True)
    subprocess.run([path("tests", "run_cli.sh"), locant] + listing_cases(),
                   cwd=ROOT, check=True,
                   env=dict(os.environ, LOCANT_ACCEPT="1"))


def main():
    if sys.argv[1:2] == ["--accept"] and len(sys.argv) <= 3:
        accept(os.path.abspath((sys.argv[2:] + [path("build", "locant")])[0]))
    elif len(sys.argv) == 2 and re.fullmatch("[a-z][a-z0-9_]*", sys.argv[1]):
        create(sys.argv[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
