"""Judge the homework of the tutorials by the papers' formulas.

usage: homework.py HOMEWORK.json   of 'locant tutorial --homework --answers
                                   --json'
tutorial_page.py asks faults_of_page() about the page.
"""
import json
import math
import sys

BLANK = "____"


def sinusoid(position, channel, width):
    angle = position / 10000 ** (channel // 2 * 2 / width)
    return math.cos(angle) if channel % 2 else math.sin(angle)


def cosine(p, q, width):
    a, b = ([sinusoid(x, c, width) for c in range(width)] for x in (p, q))
    return (sum(x * y for x, y in zip(a, b))
            / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b)))


def slopes(heads):
    """Press et al., of powers of two and others."""
    power = 2 ** int(math.log2(heads))
    own = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    return own + (slopes(2 * power)[::2][:heads - power] if heads > power
                  else [])


def bucket(distance):
    """T5 with 32 buckets up to 128, causal."""
    if distance < 16:
        return distance
    return min(31, 16 + int(math.log(distance / 16) / math.log(8) * 16))


def turn(pair, pairs):
    return 2 * math.pi * 10000 ** (pair / pairs)


ANSWERS = {
    "equal_tokens": 1 / 8,
    "similarity": cosine(3, 10, 8),
    "slope_of_8": slopes(8)[3],
    "slope_of_12": slopes(12)[9],
    "turn_of_pair": turn(5, 16),
    "slow_pairs": sum(turn(c, 32) > 2048 for c in range(32)),
    "equal_vectors": math.cos(4) + math.cos(0.04),
    "length_kept": 5,
    "channel": sinusoid(7, 5, 16),
    "learned_size": 512 * 768,
    "shaw_size": 2 * 33 * 64,
    "t5_bucket": bucket(40),
    "t5_first": next(d for d in range(200) if bucket(d) == 31),
    "t5_size": 32 * 12,
    "rotated_pair": math.cos(3),
    "bias_12_back": -12 * slopes(4)[0],
    "bias_reaches_1": 1 / slopes(8)[7],
    "own_weight": 1 / (1 + math.exp(-0.5)),
    "first_beyond": 128,
}


def faults(questions):
    """What is wrong with the list of questions, as sentences."""
    if {q["name"] for q in questions} != set(ANSWERS):
        yield f"has the questions {[q['name'] for q in questions]}"
        return
    for document in range(5):
        n = sum(q["document"] == document for q in questions)
        if n not in (3, 4):
            yield f"S{document} has {n} questions, expected 3 or 4"
    for q in questions:
        want = ANSWERS[q["name"]]
        # float32 tables of cosines and sines
        if not abs(q["answer"] - want) <= 1e-6 * max(1, abs(want)):
            yield f"{q['name']} is {q['answer']}, expected {want}"
        for key in ("question", "question_zh"):
            if q[key].count(BLANK) != 1:
                yield f"{q['name']} has no single blank in {key}"
        if any(ord(c) > 127 for c in q["question"] + q["hint"]):
            yield f"{q['name']} has letters that are not English"
        if not all(any(ord(c) > 127 for c in q[key])
                   for key in ("question_zh", "hint_zh")):
            yield f"{q['name']} is not in Chinese"


def by_class(element, name):
    return [e for e in element.iter() if e.get("class") == name]


def faults_of_page(page):
    """What is wrong with the homework of a page of all rows, as sentences."""
    sections = by_class(page, "homework")
    if [s.get("id") for s in sections] != [f"homework-S{i}" for i in range(5)]:
        yield f"has homework in {len(sections)} places, expected 5"
    items = [li for s in sections for li in s.findall("ol/li")]
    if [li.get("id")[len("homework-"):] for li in items] != list(ANSWERS):
        yield f"has {len(items)} exercises, expected {len(ANSWERS)}"
        return
    for li, (name, want) in zip(items, ANSWERS.items()):
        fields = [p.findall("input") for p in li.findall("p")]
        if [len(f) for f in fields] != [1, 1]:
            yield f"{name} has no blank in each language"
        if len(by_class(li, "hint")) != 1 or by_class(li, "hint")[0].get("open"):
            yield f"{name} has no folded hint"
        answer = by_class(li, "answer")
        if len(answer) != 1 or answer[0].get("open"):
            yield f"{name} has no folded answer"
            continue
        shown = answer[0].find("p/b").text
        decimals = len(shown.partition(".")[2])
        if not abs(float(shown) - want) <= 0.51 * 10 ** -decimals:
            yield f"{name} shows {shown}, expected {want}"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as known:
        wrong = list(faults(json.load(known)))
    for found in wrong:
        print(f"the homework {found}")
    print(f"{len(ANSWERS)} answers, {len(wrong)} faults")
