"""Judge the page of 'locant tutorial': sentences of what is wrong with it.

usage: tutorial_page.py ROWS.json PAGE.html     the page has all rows
       tutorial_page.py ROWS.json PAGE.html ID  the page has this row
"""
import json
import re
import sys
import xml.etree.ElementTree

import homework


def by_class(element, name):
    return [e for e in element.iter() if e.get("class") == name]


def text_of(element):
    return "".join(element.itertext()).strip()


def faults_of_row(row, section):
    """What is wrong with a row of the page, as sentences."""
    paragraphs = [p for p in section.findall("p")]
    if [p.get("class") for p in paragraphs] != ["in-en", "in-zh"]:
        yield "does not say its claim in two languages"
    elif text_of(paragraphs[0]) != row["claim"]:
        yield "says another claim"
    printed = section.findall("pre")
    if [p.get("class") for p in printed] != ["in-en", "in-zh"]:
        yield "does not show what the command prints in two languages"
    elif row["title"] not in text_of(printed[0]) or "：" not in text_of(printed[1]):
        yield "does not show what the command prints"
    if len(section.findall("figure/{*}svg")) != row["figures"]:
        yield "does not show its figures"
    ids = {re.search(r"E-\d\.\d+", text_of(m.find("h4"))).group()
           for m in by_class(section, "wrong")}
    if ids != set(re.findall(r"E-\d\.\d+", row.get("wrong") or "")):
        yield f"shows the errata {sorted(ids)}, expected {row['wrong']}"
    c, python = by_class(section, "c"), by_class(section, "python")
    name = row["id_in_c"]
    if len(c) != 1 or not re.search(rf"\nvoid {name}_\w+\(void\)\n\{{\n[^\0]*\n\}}",
                                    "\n" + text_of(c[0].find("pre"))):
        yield "does not show its function in C"
    if len(python) != 1 or f"# {row['row']}: " not in text_of(python[0]) or \
            "import locant" not in text_of(python[0]):
        yield "does not show its Python"


def faults(rows, path, only=None):
    """What is wrong with the page, as sentences."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    doctype, _, rest = text.partition("\n")
    if doctype != "<!DOCTYPE html>":
        yield "does not begin with <!DOCTYPE html>"
    try:
        page = xml.etree.ElementTree.fromstring(rest)
    except xml.etree.ElementTree.ParseError as e:
        yield f"is not well-formed: {e}"
        return
    if re.search(r"<(script|link|img|iframe)\b|\son\w+=|@import|url\(", text):
        yield "is not self-contained, or needs scripts"
    if re.search(r'<(?!text|tspan|g)\w+ class="(en|zh)"', text):
        yield "has a class that the style of figures hides"
    ids = [e.get("id") for e in page.iter() if e.get("id")]
    if len(ids) != len(set(ids)):
        yield "has an id twice"
    for a in page.iter("a"):
        if a.get("href")[:1] != "#" or a.get("href")[1:] not in ids:
            yield f"has a link to {a.get('href')}"
    if only is None:
        yield from homework.faults_of_page(page)
    rows = [row for row in rows if only in (None, row["row"])]
    sections = {s.get("id"): s for s in by_class(page, "row")}
    if list(sections) != [row["row"] for row in rows]:
        yield f"has {len(sections)} rows, expected {len(rows)} in their order"
        return
    for row in rows:
        row["id_in_c"] = row["row"].lower().replace(".", "_")
        for sentence in faults_of_row(row, sections[row["row"]]):
            yield f"{row['row']} {sentence}"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as known:
        wrong = list(faults(json.load(known), *sys.argv[2:]))
    for found in wrong:
        print(f"the page {found}")
    print(f"{len(wrong)} faults")
