"""Check a page of Chinese help: its width, and that nothing is left in English.

usage: chinese_help.py PAGE
       chinese_help.py --table

A description holds Chinese unless it is a shape, such as "float32 [L, D]".
--table checks cli/chinese.def: every English text is in the code, once in the
table, and its Chinese takes the same values in the same order.
"""
import glob
import os
import re
import sys
import unicodedata

CLI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli")
TEXT = r'"((?:[^"\\]|\\.)*)"'


def joined(code):
    """Every run of adjacent string literals, each blank as one."""
    code = re.sub(r'"(\s|\\\n)*"', "", code)
    return {re.sub(r"(\\n|\s)+", " ", text) for text in re.findall(TEXT, code)}


def check_table():
    code = set()
    for path in glob.glob(os.path.join(CLI, "*.[ch]")):
        with open(path, encoding="utf-8") as f:
            for text in joined(f.read()):
                code.update(text.split("\n\n"))
                code.add(text)
    whole = "\n".join(code)
    with open(os.path.join(CLI, "chinese.def"), encoding="utf-8") as f:
        rows = re.findall(r"TRANSLATION\(((?:\s*" + TEXT + r")+),((?:\s*" + TEXT +
                          r")+)\)", f.read())
    seen = set()
    for row in rows:
        english, chinese = ("".join(re.findall(TEXT, row[i])) for i in (0, 2))
        if english not in whole:
            print("no longer in the code:", english)
        if english in seen:
            print("twice:", english)
        seen.add(english)
        values = [re.findall(r"%[-+.*0-9]*l*[a-z]", t) for t in (english, chinese)]
        if values[0] != values[1]:
            print("other values:", english)
    print(len(rows) > 200)


if sys.argv[1] == "--table":
    check_table()
    sys.exit()
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
examples = lines.index("示例：")


def columns(line):
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)


def is_chinese(text):
    return any("\u4e00" <= c <= "\u9fff" for c in text)


for line in lines:
    if columns(line) > 80:
        print("wider than 80 columns:", line)
if not is_chinese(lines[0]):
    print("in English:", lines[0])
begin, options = 2, lines.index("选项：")
paragraphs = "\n".join(lines[2:options]).strip().split("\n\n")[1:]
described = re.split(r"\n  (?:-\w, |    )(?=--)",
                     "\n" + "\n".join(lines[options + 1:examples]))[1:]
for text in paragraphs:
    if not is_chinese(text):
        print("in English:", text)
for option in described:
    text = re.sub(r"^\S+( \S+)*(\n| {2,})", "", option).strip()
    if not is_chinese(text) and not re.fullmatch(r"(\S*\[[^]]*\];?|\S*\d ?)+",
                                                 text):
        print("in English:", option)
