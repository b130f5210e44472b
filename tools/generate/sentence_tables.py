#!/usr/bin/env python3
"""Characters at the ends of sentences, of Chinese and Japanese, and those that lower-casing looks
at, as ranges in C++.

    python3 tools/generate/sentence_tables.py UCD > weft/core/text/sentence_tables.cpp

UCD is the folder of the Unicode character database: /usr/share/unicode of Debian's package
unicode-data. Written with version 15.0.
"""

import pathlib
import re
import sys

from cpp_ranges import print_tables

SCRIPTS = {"Han": "Hani", "Hiragana": "Hira", "Katakana": "Kana", "Bopomofo": "Bopo"}


def characters(folder, name, wanted):
    """The characters of a file whose value `wanted` accepts."""
    out = set()
    for line in (folder / name).read_text(encoding="utf8").splitlines():
        found = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*([^#]*)", line)
        if found and wanted(found.group(3).strip()):
            first, last = (int(found.group(i) or found.group(1), 16) for i in (1, 2))
            out |= set(range(first, last + 1))
    return out


def chinese_and_japanese(folder):
    """A character has the scripts of its extensions, if any, or else its own."""
    extended = characters(folder, "ScriptExtensions.txt", lambda _: True)
    own = characters(folder, "Scripts.txt", lambda script: script in SCRIPTS)
    by_extension = characters(folder, "ScriptExtensions.txt",
                              lambda scripts: set(scripts.split()) & set(SCRIPTS.values()))
    wide = characters(folder, "EastAsianWidth.txt", lambda width: width == "F")
    return (own - extended) | by_extension | wide


def tables(folder):
    def breaks(kind):
        return characters(folder, "auxiliary/SentenceBreakProperty.txt", lambda v: v == kind)

    def core(name):
        return characters(folder, "DerivedCoreProperties.txt", lambda v: v == name)
    opening = characters(folder, "extracted/DerivedGeneralCategory.txt",
                         lambda category: category in ("Ps", "Pi"))
    quotes = characters(folder, "PropList.txt", lambda name: name == "Quotation_Mark")
    full_stops, terminators = breaks("ATerm"), breaks("STerm")
    spaces = breaks("Sp")
    marks = (breaks("Close") | quotes) - full_stops - terminators - spaces
    return {"kFullStops": full_stops, "kTerminators": terminators, "kOpeningMarks": marks & opening,
            "kClosingMarks": marks - opening, "kSentenceSpaces": spaces,
            "kChineseAndJapanese": chinese_and_japanese(folder), "kCased": core("Cased"),
            "kCaseIgnorable": core("Case_Ignorable")}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print_tables("sentence_tables.py", "weft/core/text/sentence_tables.h",
                 {name: sorted(found) for name, found in tables(pathlib.Path(sys.argv[1])).items()})
