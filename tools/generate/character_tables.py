#!/usr/bin/env python3
"""The classes of characters that Hugging Face's tokenizers distinguish, as ranges in C++.

    python3 tools/generate/character_tables.py > weft/core/text/character_tables.cpp

Each part of tokenizers has Unicode tables of its own version, so each is asked about every
character. Written with tokenizers 0.23.3.
"""

from cpp_ranges import print_tables
from tokenizers import Regex, normalizers, pre_tokenizers

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


if __name__ == "__main__":
    print_tables("character_tables.py", "weft/core/text/character_tables.h",
                 {name: characters() for name, characters in TABLES.items()})
