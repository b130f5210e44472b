#!/usr/bin/env python3
"""Small tokenisers with every kind of node, made and run by Hugging Face's tokenizers.

    python3 tools/golden/tokenizer_nodes.py [folder, tests/golden/tokenizers by default]

Writes NAME.json for each: the tokenizer.json, and for some texts their ids, the bytes that each
token stands for, and what the ids decode to, with and without special tokens.
"""

import json
import pathlib
import sys

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

TEXT = """
The quick brown fox jumps over the lazy dog.
It isn't far: they've 12 or 2048 miles, I'm told.
Übergrößenträger und Äpfel; café, naïve, déjà vu!
unaffable unbelievable unhappiness
Строка по-русски и ещё одна строка.
日本語のテキストと中文文本。
tabs\tand  double   spaces
lower lowest newer newest wider widest
price: 3.50 € (or $4)
""".strip().split("\n")
ODD = [
    "", " ", "   a  b ", "\n\n \r\nx\t\t", "Hello, world!  It's 12345 o'clock'S 'LL we'Ll",
    "ﬁne ½ Ⅷ ²", "e\u0301 a\u0300 \u00e9 İstanbul ΑΣ", "emoji 👩‍👩‍👧 🦙!",
    "x\u0000y\u00a0z\u2028w\ufeff\ufffd\u200b", "汉字kanji混ぜる",
    "<s>a <mask> b</s> [CLS]x[SEP] <tool>y</tool>", "ab<extra>cd <extra> ef",
    "wORD_word lowest-newest", "⸘⁂٣۴", "a" * 90, "don't ' n't . , ? ! do not 'm 's", "日本語",
    "ÄÖÜ\u0308", "한국어 \u1112\u1161\u11ab",
]
SPECIAL = ["<s>", "</s>"]


def trained(tokenizer, trainer):
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


def gpt2():
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    trained(t, trainers.BpeTrainer(vocab_size=330, show_progress=False, special_tokens=SPECIAL,
                                   initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("</tool>", normalized=False)])
    return t


def roberta():
    t = Tokenizer(models.BPE(unk_token="<unk>"))
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip()])
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    t.decoder = decoders.ByteLevel()
    trained(t, trainers.BpeTrainer(vocab_size=320, show_progress=False,
                                   special_tokens=["<s>", "</s>", "<unk>", "<mask>"],
                                   initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    t.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    return t


def llama3():
    t = Tokenizer(models.BPE(ignore_merges=True))
    pattern = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
               r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    t.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    trained(t, trainers.BpeTrainer(vocab_size=330, show_progress=False, special_tokens=SPECIAL,
                                   initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True),
        processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B:1",
                                      special_tokens=[("<s>", 0)])])
    return t


def llama2():
    bytes_ = [f"<0x{i:02X}>" for i in range(256)]
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                   decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    trained(t, trainers.BpeTrainer(vocab_size=340, show_progress=False, limit_alphabet=30,
                                   special_tokens=["<unk>", "<s>", "</s>"] + bytes_))
    content = json.loads(t.to_str())
    content["added_tokens"] = content["added_tokens"][:3]
    t = Tokenizer.from_str(json.dumps(content))
    t.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B:1", special_tokens=[("<s>", 1)])
    return t


def unknown_bpe():
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=False, end_of_word_suffix="</w>"))
    t.normalizer = normalizers.Lowercase()
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    t.decoder = decoders.BPEDecoder(suffix="</w>")
    return trained(t, trainers.BpeTrainer(vocab_size=90, show_progress=False, limit_alphabet=24,
                                          special_tokens=["<unk>"], end_of_word_suffix="</w>"))


def bert():
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=40))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained(t, trainers.WordPieceTrainer(vocab_size=170, show_progress=False,
                                         special_tokens=special))
    t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return t


def cased_bert():
    t = bert()
    t.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=None, clean_text=False)
    t.decoder = decoders.WordPiece(cleanup=False)
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    t.add_tokens([AddedToken("lowest", single_word=True),
                  AddedToken("<extra>", lstrip=True, rstrip=True)])
    return t


def unigram():
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([
        normalizers.Nmt(), normalizers.NFKD(), normalizers.StripAccents(),
        normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    return trained(t, trainers.UnigramTrainer(vocab_size=110, show_progress=False,
                                              unk_token="<unk>",
                                              special_tokens=["<unk>"] + SPECIAL))


def first_metaspace():
    t = unigram()
    t.normalizer = normalizers.NFD()
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    t.decoder = decoders.Metaspace(prepend_scheme="first")
    return t


def words():
    t = Tokenizer(models.WordLevel(unk_token="<unk>"))
    t.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace("w", "v")])
    t.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous"),
        pre_tokenizers.Digits(individual_digits=False)])
    return trained(t, trainers.WordLevelTrainer(vocab_size=60, show_progress=False,
                                                special_tokens=["<unk>", "<s>", "</s>"]))


def splits(behavior, invert=False, pattern="o"):
    t = Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    t.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(pattern, behavior, invert),
        pre_tokenizers.Split(Regex(r"[aeiou]|\s"), behavior, invert),
        pre_tokenizers.Digits(individual_digits=True)])
    return t


def ctc():
    t = words()
    t.decoder = decoders.CTC(pad_token="<s>", word_delimiter_token="the")
    return t


TOKENIZERS = [gpt2, roberta, llama3, llama2, unknown_bpe, bert, cased_bert, unigram,
              first_metaspace, words, ctc]
BEHAVIOURS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]


def byte_spans(text, encoding):
    starts = [0]
    for c in text:
        starts.append(starts[-1] + len(c.encode("utf8")))
    return [[starts[begin], starts[end]] for begin, end in encoding.offsets]


def case(tokenizer, text, add_special, parse_special):
    tokenizer.encode_special_tokens = not parse_special
    encoding = tokenizer.encode(text, add_special_tokens=add_special)
    return {"text": text, "add_special": add_special, "parse_special": parse_special,
            "ids": encoding.ids, "spans": byte_spans(text, encoding),
            "decoded": tokenizer.decode(encoding.ids),
            "decoded_special": tokenizer.decode(encoding.ids, skip_special_tokens=False)}


def pair(tokenizer, first, second):
    tokenizer.encode_special_tokens = False
    encoding = tokenizer.encode(first, second)
    return {"texts": [first, second], "ids": encoding.ids, "types": encoding.type_ids}


def pieces(tokenizer, text):
    return [piece for piece, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text)]


def write(path, content):
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf8")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/tokenizers")
    for make in TOKENIZERS:
        tokenizer = Tokenizer.from_str(make().to_str())
        cases = [case(tokenizer, text, False, True) for text in ODD + TEXT]
        cases += [case(tokenizer, text, True, True) for text in ODD[4:12]]
        if not isinstance(tokenizer.model, models.Unigram):  # which makes special tokens of text
            cases += [case(tokenizer, text, False, False) for text in ODD[10:11]]
        pairs = [pair(tokenizer, "a b", "the café"), pair(tokenizer, "", "x")]
        write(folder / f"{make.__name__}.json",
              {"tokenizer": json.loads(tokenizer.to_str()), "cases": cases, "pairs": pairs})
    split = []
    for behavior in BEHAVIOURS:
        for invert in (False, True):
            tokenizer = splits(behavior, invert)
            split.append({"node": json.loads(tokenizer.to_str())["pre_tokenizer"], "texts": ODD,
                          "pieces": [pieces(tokenizer, text) for text in ODD]})
    write(folder / "splits.json", split)


if __name__ == "__main__":
    main()
