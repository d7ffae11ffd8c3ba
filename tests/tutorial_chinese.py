"""Judge the Chinese of the tutorials, tutorials/chinese*.def: each format has the
conversions of its English, in the same order; no file has a text twice, nor what
chinese.def says of it; and the tutorials still have each English text.

usage: tutorial_chinese.py
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LITERAL = r'"(?:[^"\\]|\\.)*"'
LITERALS = rf"{LITERAL}(?:\s*{LITERAL})*"
CONVERSION = r"%(?!%)[-+ #0-9.]*(?:ll|[lzh])?[a-zA-Z$]"
MOST_CONVERSIONS = 16  # as in tutorials/chinese.c


def value_of(literals):
    """What adjacent string literals of C stand for."""
    text = "".join(part[1:-1] for part in re.findall(LITERAL, literals))
    return (text.replace(r"\"", '"').replace(r"\n", "\n").replace(r"\\", "\\"))


def entries(path):
    """The pairs of one file; Chinese is None in a line SAME()."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    entry = rf"(CHINESE|SAME)\(({LITERALS})(?:,\s*({LITERALS}))?\)\s*"
    if re.sub(entry, "", text).strip():
        yield "", "what is not CHINESE(\"..\", \"..\") or SAME(\"..\")"
    for kind, english, chinese in re.findall(entry, text):
        yield value_of(english), value_of(chinese) if kind == "CHINESE" else None


def pattern(text):
    """A regular expression for the texts that a format makes."""
    return ".*".join(re.escape(part.replace("%%", "%"))
                     for part in re.split(CONVERSION, text))


def english_texts():
    """The texts of the tutorials, with their lines and cells."""
    texts = set()
    for path in (glob.glob(os.path.join(ROOT, "tutorials", "**", "*.c"), recursive=True)
                 + glob.glob(os.path.join(ROOT, "src", "encodings", "*.c"))):
        with open(path, encoding="utf-8") as f:
            source = re.sub(r"/\*.*?\*/|'\"'", "", f.read(), flags=re.S)
        for literals in re.findall(LITERALS, source):
            for line in value_of(literals).split("\n"):
                texts.update([line] + line.split("|"))
    return texts


def is_used(english, texts, formats):
    # a message of the library begins with the name of a function
    return (english in texts or english.startswith("locant_")
            or any(re.fullmatch(pattern(english), text) for text in texts)
            or any(re.fullmatch(f, english) for f in formats))


def faults_of(english, chinese):
    if not re.sub(CONVERSION, "", english):
        yield "has no text around its conversions"
    if chinese is None:
        return
    conversions = re.findall(CONVERSION, english)
    if conversions != re.findall(CONVERSION, chinese):
        yield f"has other conversions in \"{chinese}\""
    if len(conversions) > MOST_CONVERSIONS:
        yield "has too many conversions"
    if english == chinese:
        yield "is the same in Chinese: use SAME()"


def faults():
    """What is wrong, as sentences."""
    seen, texts = {}, english_texts()
    formats = [pattern(text) for text in texts
               if len(re.sub(CONVERSION, "", text)) > 2 and re.search(CONVERSION, text)]
    for path in sorted(glob.glob(os.path.join(ROOT, "tutorials", "chinese*.def"))):
        name = os.path.basename(path)
        for english, chinese in entries(path):
            for sentence in faults_of(english, chinese):
                yield f"{name}: \"{english}\" {sentence}"
            if (name, english) in seen:
                yield f"{name}: \"{english}\" is there twice"
            if seen.get(("chinese.def", english), 0) == chinese:
                yield f"{name}: \"{english}\" is the same in chinese.def"
            seen[name, english] = chinese
            if chinese is not None and not is_used(english, texts, formats):
                yield f"{name}: no tutorial says \"{english}\""


if __name__ == "__main__":
    wrong = list(faults())
    for found in wrong:
        print(found)
    sys.exit(bool(wrong))
