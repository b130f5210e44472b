#!/usr/bin/env python3
"""The classes of characters that Hugging Face's tokenizers distinguish, as ranges in C++.

    python3 tools/generate/character_tables.py > weft/core/text/character_tables.cpp

Each part of tokenizers has Unicode tables of its own version, so each is asked about every
character. Written with tokenizers 0.23.3.
"""

from tokenizers import Regex, normalizers, pre_tokenizers

WIDTH = 100
CHARACTERS = [c for c in range(1, 0x110000) if not 0xD800 <= c <= 0xDFFF]


def splits(tokenizer):
    """The characters that a pre-tokeniser cuts away from control characters around them."""
    return [c for c in CHARACTERS
            if len(tokenizer.pre_tokenize_str("\x01" + chr(c) + "\x01")) > 1 and c != 1]


def matches(pattern):
    return splits(pre_tokenizers.Split(Regex(pattern), "isolated"))


def removed(normalizer):
    return [c for c in CHARACTERS if normalizer.normalize_str("a" + chr(c) + "b") == "ab"]


def bert(**given):
    options = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False,
               "lowercase": False}
    return normalizers.BertNormalizer(**(options | given))


def ranges(characters):
    out = []
    for c in characters:
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


TABLES = {
    "kLetters": lambda: matches(r"\p{L}"),
    "kNumbers": lambda: matches(r"\p{N}"),
    "kMarks": lambda: matches(r"\p{M}"),
    "kNumericCharacters": lambda: splits(pre_tokenizers.Digits(True)),
    "kBertPunctuation": lambda: splits(pre_tokenizers.Punctuation("isolated")),
    "kBertNonspacing": lambda: removed(bert(strip_accents=True)),
    "kBertControl": lambda: removed(bert(clean_text=True)),
    "kCombining": lambda: removed(normalizers.StripAccents()),
}

HEAD = """// Made by tools/generate/character_tables.py.
// clang-format off
#include "weft/core/text/character_tables.h"

namespace weft {
namespace {

"""


def main():
    print(HEAD, end="")
    for name, characters in TABLES.items():
        pairs = [f"{{0x{a:X}, 0x{b:X}}}" for a, b in ranges(characters())]
        print(f"constexpr CharacterRange {name}Ranges[] = {{")
        line = "   "
        for pair in pairs:
            if len(line) + len(pair) + 2 > WIDTH:
                print(line)
                line = "   "
            line += f" {pair},"
        print(line)
        print("};")
    print("\n}  // namespace\n")
    for name in TABLES:
        print(f"const std::span<const CharacterRange> {name} = {name}Ranges;")
    print("\n}  // namespace weft")


if __name__ == "__main__":
    main()
