#!/usr/bin/env python3
"""The table of published models and the specs of their positions.

usage: tests/families_page.py PAGE            exit 1 if PAGE is another
       tests/families_page.py --write PAGE

Rows are those of published_plans.json, whose specs test_published_plans compares
with the plans that 'locant model inspect' prints; the page holds nothing else.
A family of FAMILIES without a row is a fault.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """# The positions of published models

Made by `tests/families_page.py --write`, not by hand. `make test` compares each row with what `locant model inspect` says of the
configuration in `tests/published_plans.json`. Numbers are those of the named file; another file of the family may have others. Long
lists of a checkpoint are cut at `..`.

A spec stands for what it says in C, Python and every command; beside it the plan has what belongs to the call of attention, such as the
scale, soft-caps, sinks and norms of queries and keys (`locant model inspect`), and for Qwen2.5-VL the windows of its image layers. A
second spec is that of the decoder or of the images.

| model | `model_type` | added to embeddings | layers |
|---|---|---|---|
"""
# What every release must tell: the families whose positions differ.
FAMILIES = """marian bert roberta gpt2 opt transfo-xl t5 mt5 umt5 llama llama4
mistral ministral3 mixtral qwen qwen2 qwen3 qwen3_moe qwen2_vl qwen2_5_vl qwen3_vl
gemma gemma2 gemma3_text gemma3n gemma4 palm bloom mpt falcon gpt_neox gptj phi phi3
gpt_oss deepseek_v2 deepseek_v3 kimi_k2 kimi_k25 kimi_linear smollm3 cohere cohere2
olmo2 olmo3 glm glm4 glm4_moe stablelm starcoder2 granite minimax_m2 vit dinov2
dinov3_vit swin swinv2 deberta-v2 modernbert""".split()


def cut(spec):
    """With only the first three numbers of a long list."""
    return re.sub(r"((?:[\d.e+-]+:){3})(?:[\d.e+-]+:){4,}[\d.e+-]+", r"\1..",
                  spec)


def code(specs):
    return "; ".join(f"`{cut(s)}`" for s in specs if s)


def page():
    with open(os.path.join(HERE, "published_plans.json"),
              encoding="utf-8") as file:
        rows = json.load(file)
    missing = set(FAMILIES) - {r["config"]["model_type"] for r in rows}
    if missing:
        sys.exit(f"families without a row: {', '.join(sorted(missing))}")
    lines = []
    for r in rows:
        layers = [r["layers"]]
        if r.get("second") not in (None, r["layers"]):
            layers.append(r["second"])
        lines.append(f"| {r['name']} | `{r['config']['model_type']}` | "
                     f"{code([r.get('input')]) or '–'} | {code(layers)} |\n")
    return HEAD + "".join(lines)


def main(words):
    path, made = words[-1], page()
    if words[0] == "--write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(path, encoding="utf-8") as file:
        found = file.read()
    for got, want in zip(found.split("\n"), made.split("\n")):
        if got != want:
            print(f"{path}: {got}, expected {want}")
    return int(found != made)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
