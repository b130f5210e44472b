#!/usr/bin/env python3
"""Compares tokenisers with those of Hugging Face's tokenizers on lines of odd text.

    PYTHON benchmarks/tasks/conversion/tokenisers.py --model FILE... [--lines 100000]

PYTHON has tokenizers, transformers and gguf. FILE is a tokenizer.json or a GGUF file, which
Transformers reads too (scripts/fetch-models: minilm/tokenizer.json, smollm2/*.gguf). The lines are
drawn from a seed: words, digits, code, spaces of every kind, combining marks, emoji, many scripts,
controls, private and unassigned characters, and special tokens. Compared are ids, the bytes of the
text that each token stands for, and the text that the ids give. Prints one JSON object, which is
also written to benchmarks/results, and a verdict for each file.

Needs weft_tokeniser_ids, of a build with -DWEFT_BENCHMARKS=ON.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import time
import unicodedata

from tokenizers import Tokenizer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "language_models"))
from side_by_side import RELEASE, report  # noqa: E402

SEED = 20240229
FIELDS = ("ids", "spans", "text")
SPACES = (" \t\u00a0\u1680\u2003\u2009\u200a\u2028\u202f\u205f\u3000\u200b\u200c\u200d"
          "\u2060\ufeff\r\n\v\f")
WORDS = """the The THE don't I'll we've it's naïve Straße ﬁne ½ №5 e.g. U.S.A. co-op C++ #tag
    @x x86_64 user@example.org https://example.org/a?b=c&d=%20 /usr/bin 3.14 1,000,000 007 1e-9 0xFF
    İstanbul ΣΊΣΥΦΟΣ Å Å Ǆ ﷺ ㎏ Ⅷ ①② １２３ ﾊﾝｶｸ""".split()
CODE = ["for (int i = 0; i < n; ++i) {", "    return x ** 2;", "\tif a != b:", "<div class=\"x\">",
        "$\\frac{1}{2}$", "{{ x | y }}", "[[1, 2], [3, 4]]", "'''", "\"\"\"", "----", "....",
        "___", "\\n", "&amp;"]
EMOJI = [
    "\U0001f642", "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f44d\U0001f3fd", "\U0001f1ee\U0001f1f9", "\u2764\ufe0f", "\u2615\ufe0e",
    "1\ufe0f\u20e3", "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"]
BLOCKS = [(0x21, 0x7E), (0xA1, 0xFF), (0x100, 0x24F), (0x300, 0x36F), (0x370, 0x3FF),
          (0x400, 0x52F), (0x531, 0x58F), (0x591, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F),
          (0xE01, 0xE5B), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F),
          (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2200, 0x22FF), (0x3041, 0x30FF), (0x4E00, 0x9FFF),
          (0xAC00, 0xD7A3), (0xE000, 0xF8FF), (0xFB00, 0xFDFF), (0xFE00, 0xFFFD),
          (0x10000, 0x1FFFF), (0x20000, 0x2FA1F), (0xE0000, 0xE01EF), (0x1, 0x1F), (0x7F, 0x9F)]


def character(draw):
    begin, end = draw.choice(BLOCKS)
    return chr(draw.randint(begin, end))


def piece(draw, special):
    """A part of a line."""
    kind = draw.random()
    if kind < 0.35:
        return draw.choice(WORDS)
    if kind < 0.45:
        return "".join(draw.choices("0123456789", k=draw.randint(1, 12)))
    if kind < 0.52:
        return draw.choice(CODE)
    if kind < 0.6:
        return "".join(draw.choices(SPACES, k=draw.randint(1, 5)))
    if kind < 0.66:
        return draw.choice(EMOJI) * draw.randint(1, 3)
    if kind < 0.68:
        return draw.choice(special)
    if kind < 0.72:
        return draw.choice("abcé中🙂_-.\u0301") * draw.randint(2, 60)
    if kind < 0.86:  # a word of one script
        begin, end = draw.choice(BLOCKS)
        return "".join(chr(draw.randint(begin, end)) for _ in range(draw.randint(1, 10)))
    return "".join(character(draw) for _ in range(draw.randint(1, 8)))


def odd_lines(count, special):
    draw, out = random.Random(SEED), []
    while len(out) < count:
        text = "".join(piece(draw, special) + draw.choice(["", " ", " ", "  "])
                       for _ in range(draw.randint(0, 12)))
        if draw.random() < 0.2:
            text = unicodedata.normalize(draw.choice(["NFC", "NFD", "NFKC", "NFKD"]), text)
        out.append(text)
    return out


def peer_of(path):
    """The tokeniser of tokenizers for a file."""
    if path.suffix == ".json":
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    from peer import Peer  # needs torch and transformers
    return Peer(path, path.parent, 1).tokenizer.backend_tokenizer


def theirs(tokenizer, texts):
    """As weft_tokeniser_ids prints them: spans in bytes."""
    out = []
    for text in texts:
        found = tokenizer.encode(text)
        begins = [0]
        for c in text:
            begins.append(begins[-1] + len(c.encode()))
        out.append({"ids": found.ids, "spans": [[begins[b], begins[e]] for b, e in found.offsets],
                    "text": tokenizer.decode(found.ids, skip_special_tokens=False)})
    return out


def ours(program, path, texts):
    given = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run([program, path], input=given, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(options, path):
    tokenizer = peer_of(path)
    special = [t.content for t in tokenizer.get_added_tokens_decoder().values() if t.special]
    texts = odd_lines(options.lines, special)
    begin = time.perf_counter()
    expected = theirs(tokenizer, texts)
    middle = time.perf_counter()
    got = ours(options.program, path, texts)
    row = {"lines": len(texts), "tokens": sum(len(x["ids"]) for x in expected),
           "tokenizers_s": round(middle - begin, 2),
           "weft_s": round(time.perf_counter() - middle, 2)}
    if len(got) != len(texts):
        sys.exit(f"{path}: {len(got)} results of {len(texts)} lines")
    for field in FIELDS:
        differ = [i for i, (a, b) in enumerate(zip(got, expected)) if a[field] != b[field]]
        row[f"different_{field}"] = len(differ)
        if differ and options.show:
            i = differ[0]
            print(f"{field} of {texts[i]!r}: {got[i][field]} and {expected[i][field]}")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--program", default=RELEASE / "benchmarks/weft_tokeniser_ids")
    parser.add_argument("--show", action="store_true", help="print the first difference")
    options = parser.parse_args()
    rows = {f"{path.parent.name}/{path.name}": compare(options, path) for path in options.model}
    report("conversion/tokenisers", {"models": rows},
           [(f"{name}, lines with the same {field}", row["lines"] - row[f"different_{field}"],
             row["lines"]) for name, row in rows.items() for field in FIELDS])


if __name__ == "__main__":
    main()
