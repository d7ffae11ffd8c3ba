"""Check a page of Chinese help: its width, and that nothing is left in English.

usage: chinese_help.py PAGE

A description holds Chinese unless it is a shape, such as "float32 [L, D]".
"""
import re
import sys
import unicodedata

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
