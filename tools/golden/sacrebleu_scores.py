#!/usr/bin/env python3
"""Writes tests/golden/metrics.json: sacreBLEU's scores of difficult lines and a small corpus.

Requires sacrebleu; the tests only read the file.
"""
import json
import pathlib
import random

from sacrebleu.metrics import BLEU, CHRF

# name: (hypotheses, one list per reference)
CASES = {
    "identical": (["The cat sat on the mat ."], [["The cat sat on the mat ."]]),
    "nothing in common": (["a b c d e"], [["v w x y z"]]),
    "no characters in common": (["aaa bbb"], [["zzz yyy"]]),
    "punctuation": (['He said: "no, never!" (twice)...'], [['He said "No, never"! (twice) ...']]),
    "numbers": (
        ["It costs 1,000.5 or 3.14, not .5 or 5."],
        [["It costs 1,000.50 or 3.14 not 0.5 or 5 ."]],
    ),
    "point and comma runs": (
        ["a.,b ,.c 1.,2 ..3,,4. , . x"],
        [["a . , b, .c 1. ,2 .. 3,, 4 ., . x"]],
    ),
    "hyphens": (
        ["A well-known 3-2 win, 1990-95 -- end- of -line"],
        [["A well known 3 - 2 win , 1990 - 95 -- end - of - line"]],
    ),
    "entities": (
        ["&quot;Tom &amp; Jerry&quot; &lt;b&gt; &apos; &amp;lt;"],
        [['"Tom & Jerry" <b> \' &lt;']],
    ),
    "skipped": (["one <skipped> two<skipped>three"], [["one two three"]]),
    "symbols": (
        ["a/b [c] {d} e|f g~h i^j k_l m`n o@p q#r s$t u%v w*x y+z =<>?;\\'"],
        [["a / b [ c ] { d } e | f g ~ h i^j k_l m`n o @ p q # r s $ t u % v w * x y + z"]],
    ),
    "accents": (["Élève naïf à Zürich, ÀÉÎ"], [["élève naïf a Zürich , àéî"]]),
    "combining marks": (["Cafe\u0301 noe\u0308l"], [["Café noël"]]),
    "sigma and dotted i": (
        ["ΟΔΥΣΣΕΥΣ ΣΑΣ Σ İstanbul STRAẞE"],
        [["οδυσσευς σας σ i̇stanbul straße"]],
    ),
    "cyrillic": (["Привет, МИР! Как дела?"], [["привет, мир ! как дела ?"]]),
    "chinese": (["我喜欢学习中文。你好,世界!"], [["我喜欢学中文。你好,世界!"]]),
    "chinese and latin": (
        ["我用Linux 5.10系统,GPU是H200。«你»—好…"],
        [["我用 Linux 5.10 系统, GPU 是 H200. «你» — 好 …"]],
    ),
    "rare ideographs": (["𠀀𠮷野家 ⺀⼀ ⾀⾁㐀㆑ ㇀"], [["𠀁𠮷野家 ⺀ ⼀ ⾀ ⾁ 㐀"]]),
    "japanese": (["私は学生です。カタカナ ﾊﾝｶｸ"], [["私は学生だ。カタカナ ﾊﾝｶｸ"]]),
    "emoji": (["good 👍🏽 ☀️ day 👨‍👩‍👧"], [["good 👍 ☀ day 👨‍👩‍👧"]]),
    "arabic and thai": (
        ["مرحبا بالعالم، كيف؟ สวัสดีชาวโลก"],
        [["مرحبا بالعالم كيف ؟ สวัสดีชาวโลก"]],
    ),
    "odd white space": (
        ["a\u00a0b\u2003c\td  e\u3000f\u200bg\u1680h\x1ci\x85j "],
        [["a b c d e f g h i j"]],
    ),
    "trailing and leading spaces": (["   the end .   "], [["the end."]]),
    "empty hypothesis": ([""], [["something is expected here"]]),
    "empty reference": (["something comes out here"], [[""]]),
    "both empty": ([""], [[""]]),
    "only spaces": (["   "], [["a b"]]),
    "empty lines among others": (
        ["", "the quick brown fox jumps", ""],
        [["", "the quick brown fox jumped", "x"]],
    ),
    "one token": (["Yes"], [["Yes"]]),
    "two tokens": (["Yes ."], [["Yes ."]]),
    "three of four orders": (["the red car"], [["the red car"]]),
    "no four-gram matches": (["a b c x d e f y"], [["a b c z d e f w"]]),
    "only unigrams match": (["d c b a e"], [["a b c d e f"]]),
    "clipped repeats": (["the the the the the the the"], [["the cat is on the mat"]]),
    "too short": (["the cat"], [["the cat sat on the mat today"]]),
    "too long": (["the cat sat on the mat and would not leave it"], [["the cat sat on the mat"]]),
    "case": (["THE Cat sat ON the MAT"], [["the cat sat on the mat"]]),
    "chrf words": (["(hi) it's end. .x x. . ... a (b"], [["(hi ) it's end . .x x . ... a( b"]]),
    "two references": (
        ["the cat sat on a mat", "a dog barked loudly", ""],
        [
            ["the cat is on the mat", "the dog barked", "nothing"],
            ["a cat sat on a rug", "a dog was barking loudly", ""],
        ],
    ),
    "two references, equally near": (["a b c d e"], [["a b c d e f"], ["a b c d"]]),
    "three references": (
        ["it is a guide to action which ensures that the military always obeys"],
        [
            ["it is a guide to action that ensures that the military will forever heed"],
            ["it is the guiding principle which guarantees the military forces always"],
            ["it is the practical guide for the army always to heed the directions"],
        ],
    ),
}


def corpus(lines: int = 200):
    """Lines of random words with numbers, punctuation and capitals, and a modified copy."""
    rng = random.Random(7)
    words = ["".join(rng.choices("abdeiklmnorstuüéñ", k=rng.randint(1, 7))) for _ in range(120)]
    marks = [",", ".", "-", "!", "?", ";", ":", '"', "'", "(", ")", " ,", " .", "...", "/", "%"]
    hypotheses, reference = [], []
    for _ in range(lines):
        line = []
        for _ in range(rng.randint(0, 14)):
            kind = rng.random()
            word = rng.choice(words)
            if kind < 0.1:
                word = f"{rng.randint(0, 9999):,}.{rng.randint(0, 9)}"
            elif kind < 0.3:
                word += rng.choice(marks)
            elif kind < 0.4:
                word = word.capitalize()
            elif kind < 0.43:
                word = rng.choice(marks) + word
            line.append(word)
        damaged = [w for w in line if rng.random() > 0.08]
        damaged = [rng.choice(words) if rng.random() < 0.12 else w for w in damaged]
        if len(damaged) > 3 and rng.random() < 0.3:
            at = rng.randrange(len(damaged) - 1)
            damaged[at], damaged[at + 1] = damaged[at + 1], damaged[at]
        hypotheses.append(" ".join(damaged))
        reference.append(" ".join(line))
    return hypotheses, [reference]


BLEU_SETTINGS = [
    dict(tokenize=t, lowercase=lc) for t in ("13a", "none", "char", "zh") for lc in (False, True)
]
BLEU_SETTINGS += [dict(tokenize="13a", smooth_method=s) for s in ("none", "floor", "add-k")]
BLEU_SETTINGS += [dict(tokenize="13a", effective_order=True)]
CHRF_SETTINGS = [dict(word_order=w, lowercase=lc) for w in (0, 2) for lc in (False, True)]
CHRF_SETTINGS += [dict(word_order=1, char_order=3, beta=1)]


def measure(metric, hypotheses, references):
    score = metric.corpus_score(hypotheses, references)
    return [round(score.score, 9), str(score)]


def signature(metric):
    """The signature without the leading number of references and the trailing version."""
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature()).split("|", 1)[1].rsplit("|version:", 1)[0]


def main():
    bleu = [BLEU(**settings, force=True) for settings in BLEU_SETTINGS]
    chrf = [CHRF(**settings) for settings in CHRF_SETTINGS]
    out = {
        "bleu": [[s, signature(m)] for s, m in zip(BLEU_SETTINGS, bleu)],
        "chrf": [[s, signature(m)] for s, m in zip(CHRF_SETTINGS, chrf)],
        "cases": [
            {
                "name": name,
                "hypotheses": hypotheses,
                "references": references,
                "bleu": [measure(m, hypotheses, references) for m in bleu],
                "chrf": [measure(m, hypotheses, references) for m in chrf],
            }
            for name, (hypotheses, references) in {**CASES, "a corpus": corpus()}.items()
        ],
    }
    target = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "metrics.json"
    target.write_text(json.dumps(out, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
