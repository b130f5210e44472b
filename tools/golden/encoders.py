#!/usr/bin/env python3
"""Writes small encoders in Transformers' format, with vectors by sentence-transformers.

    python3 tools/golden/encoders.py [folder, tests/golden/encoders by default]

Writes a folder for each architecture and for what is special in some: config.json,
model.safetensors with random weights, a tokeniser, the modules of sentence-transformers, and
vectors.safetensors: text.ids and text.offsets, packed, with special symbols, and vectors [B, E] of
the lines of lines.txt. With a folder of MiniLM in $WEFT_MODELS also minilm_vectors.safetensors, the
vectors of REAL_LINES. Folders of models with heads have logits.safetensors in the place of vectors:
logits [B, labels] of texts, or [N, labels] or [N, V] of all tokens; with heads for masked tokens
some tokens are masks.
"""

import os
import pathlib
import shutil
import sys

import numpy as np
import torch
from safetensors.numpy import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (Dense, Normalize, Pooling,
                                                                Transformer)
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (AutoConfig, AutoModel, AutoModelForMaskedLM,
                          AutoModelForSequenceClassification, AutoModelForTokenClassification,
                          PreTrainedTokenizerFast)

COMMON = dict(vocab_size=48, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
              num_attention_heads=4, max_position_embeddings=24, pad_token_id=0)
SMALL = dict(COMMON, hidden_size=8, intermediate_size=12, num_attention_heads=2,
             num_hidden_layers=1)
ROBERTA = dict(SMALL, max_position_embeddings=22, type_vocab_size=1, pad_token_id=1,
               bos_token_id=0, eos_token_id=2)
DISTIL = dict(model_type="distilbert", vocab_size=48, dim=8, hidden_dim=12, n_heads=2, n_layers=1,
              max_position_embeddings=24)
MODERN = dict(SMALL, model_type="modernbert", num_hidden_layers=3, local_attention=4,
              pad_token_id=1, bos_token_id=0, cls_token_id=0, eos_token_id=2, sep_token_id=2,
              rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 100.0},
                               "sliding_attention": {"rope_type": "default", "rope_theta": 10.0}})
LINES = ["a cat sat on the mat", "A CAT!", "", "the cats at the mat, that sat", "x y z",
         " ".join(["cat"] * 30), "tea on a hat"]
WORDS = ["the", "cat", "sat", "on", "mat", "that", "##s", "##at", "a", "!", ","]
REAL_LINES = ["A cat sat on the mat.", "Zażółć gęślą jaźń: 中文!", " ".join(["word"] * 300), ""]
PROMPTS = {"query": "cat: ", "document": ""}
MODELS = {  # options, pooling, layers after it
    "bert": (dict(COMMON, model_type="bert", hidden_act="gelu"), "mean", ["normalize"]),
    "bert_dense": (dict(COMMON, model_type="bert", hidden_act="gelu_new", type_vocab_size=3), "cls",
                   [("dense", 10), ("dense", 6)]),
    "roberta": (dict(ROBERTA, model_type="roberta"), "max", []),
    "xlm_roberta": (dict(ROBERTA, model_type="xlm-roberta", max_position_embeddings=24),
                    "mean_sqrt_len_tokens", []),
    "distilbert": (dict(DISTIL, activation="gelu"), "lasttoken", ["normalize"]),
    "modernbert": (MODERN, "weightedmean", ["normalize"]),
}
LABELS = ["O", "B-X", "I-X"]
HEADS = {  # of the same models: the class, and more options
    "bert_classifier": ("bert", AutoModelForSequenceClassification, {}),
    "bert_tagger": ("bert", AutoModelForTokenClassification, {}),
    "roberta_classifier": ("roberta", AutoModelForSequenceClassification,
                           dict(problem_type="multi_label_classification")),
    "roberta_tagger": ("roberta", AutoModelForTokenClassification, {}),
    "xlm_roberta_classifier": ("xlm_roberta", AutoModelForSequenceClassification, {}),
    "distilbert_classifier": ("distilbert", AutoModelForSequenceClassification,
                              dict(problem_type="regression")),
    "distilbert_tagger": ("distilbert", AutoModelForTokenClassification, {}),
    "modernbert_classifier": ("modernbert", AutoModelForSequenceClassification,
                              dict(classifier_pooling="mean", norm_bias=True)),
    "modernbert_tagger": ("modernbert", AutoModelForTokenClassification,
                          dict(classifier_bias=True, attention_bias=True, mlp_bias=True)),
    "bert_masked_lm": ("bert_dense", AutoModelForMaskedLM, {}),
    "roberta_masked_lm": ("roberta", AutoModelForMaskedLM, {}),
    "xlm_roberta_masked_lm": ("xlm_roberta", AutoModelForMaskedLM, {}),
    "distilbert_masked_lm": ("distilbert", AutoModelForMaskedLM, {}),
    "modernbert_masked_lm": ("modernbert", AutoModelForMaskedLM, {}),
}


def word_pieces():
    letters = [chr(c) for c in range(ord("a"), ord("a") + 8)] + list("onstxyz")
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters,
              *("##" + letter for letter in letters)]
    tokens = list(dict.fromkeys(tokens))[:COMMON["vocab_size"] - 1]  # a row is not used
    out = Tokenizer(models.WordPiece({t: i for i, t in enumerate(tokens)}, unk_token="[UNK]"))
    out.normalizer = normalizers.BertNormalizer()
    out.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    out.decoder = decoders.WordPiece()
    out.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=out, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        pad_token="[PAD]", mask_token="[MASK]", model_max_length=20)


SYMBOLS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def with_symbols(tokeniser):
    begin, padding, end, unknown, mask = SYMBOLS
    ends = [(token, tokeniser.token_to_id(token)) for token in (begin, end)]
    tokeniser.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", pair=f"{begin} $A {end} {end} $B {end}", special_tokens=ends)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokeniser, cls_token=begin, sep_token=end, bos_token=begin, eos_token=end,
        pad_token=padding, mask_token=mask, unk_token=unknown, model_max_length=20,
        model_input_names=["input_ids", "attention_mask"])


def byte_pairs():
    merges = [("t", "h"), ("th", "e"), ("a", "t"), ("c", "at"), ("\u0120", "the"),
              ("\u0120", "cat")]
    tokens = [*SYMBOLS, *"abcehmnostxyzACT!,", "\u0120",
              *(a + b for a, b in merges)]
    out = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    out.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    out.decoder = decoders.ByteLevel()
    return with_symbols(out)


def unigram():
    words = ["\u2581", "\u2581the", "\u2581cat", "s", "at", *"abcehmnostxyzACT!,"]
    tokens = [(symbol, 0.0) for symbol in SYMBOLS]
    tokens += [(word, -1.0 - i / 8) for i, word in enumerate(dict.fromkeys(words))]
    out = Tokenizer(models.Unigram(tokens, unk_id=3, byte_fallback=False))
    out.normalizer = normalizers.NFKC()
    out.pre_tokenizer = pre_tokenizers.Metaspace()
    out.decoder = decoders.Metaspace()
    return with_symbols(out)


TOKENISERS = {"bert": word_pieces, "roberta": byte_pairs, "xlm-roberta": unigram,
              "distilbert": word_pieces, "modernbert": byte_pairs}


def randomise(module):
    for parameter in module.parameters():  # values of 0 and 1 would hide errors
        parameter.data += 0.3 * torch.randn_like(parameter)


def base_folder(options, folder, of_class=AutoModel):
    torch.manual_seed(1)
    model = of_class.from_config(AutoConfig.for_model(**options)).eval()
    randomise(model)
    model.save_pretrained(folder)
    tokeniser = TOKENISERS[options["model_type"]]()
    if options["model_type"] == "distilbert":
        tokeniser.model_input_names = ["input_ids", "attention_mask"]
    tokeniser.save_pretrained(folder)
    return model, tokeniser


def layers_after(parts, width):
    out = []
    for part in parts:
        if part == "normalize":
            out.append(Normalize())
        else:
            out.append(Dense(width, part[1]))
            width = part[1]
    for module in out:
        randomise(module)
    return out


def packed(tokens):
    offsets = np.cumsum([0] + [len(ids) for ids in tokens])
    return {"text.ids": np.concatenate(tokens).astype(np.int32),
            "text.offsets": offsets.astype(np.int32)}


def vectors_of(model):
    tokens = [model.tokenizer(line, truncation=True)["input_ids"] for line in LINES]
    return {**packed(tokens), "vectors": np.stack([model.encode(line) for line in LINES])}


# Every third token but those at both ends is a mask.
def masked(ids, mask):
    return [mask if i % 3 == 1 and 0 < i < len(ids) - 1 else id for i, id in enumerate(ids)]


# [B, labels] of texts, or [N, labels] or [N, V] of all tokens.
def logits_of(model, tokeniser):
    tokens = [tokeniser(line, truncation=True)["input_ids"] for line in LINES]
    if type(model).__name__.endswith("ForMaskedLM"):
        tokens = [masked(ids, tokeniser.mask_token_id) for ids in tokens]
    logits = [model(input_ids=torch.tensor([ids])).logits[0].detach().numpy() for ids in tokens]
    return {**packed(tokens),
            "logits": np.concatenate(logits) if logits[0].ndim == 2 else np.stack(logits)}


def write_heads(out):
    for name, (base, of_class, options) in HEADS.items():
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        labels = {} if of_class == AutoModelForMaskedLM else {
            "id2label": dict(enumerate(LABELS)),
            "label2id": {label: i for i, label in enumerate(LABELS)}}
        model, tokeniser = base_folder({**MODELS[base][0], **options, **labels}, folder, of_class)
        save_file(logits_of(model, tokeniser), folder / "logits.safetensors")


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden/encoders"
    for name, (options, pooling, parts) in MODELS.items():
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        base_folder(options, folder)
        encoder = Transformer(str(folder))
        width = options.get("hidden_size", options.get("dim"))
        model = SentenceTransformer(
            modules=[encoder, Pooling(width, pooling_mode=pooling), *layers_after(parts, width)],
            prompts=PROMPTS, device="cpu")
        save_file(vectors_of(model), out / "vectors.tmp")
        model.save(str(folder), create_model_card=False)
        (out / "vectors.tmp").rename(folder / "vectors.safetensors")
    write_heads(out)
    for file in out.rglob("*.json"):
        file.write_text(file.read_text().rstrip("\n") + "\n")
    real = pathlib.Path(os.environ.get("WEFT_MODELS", "models")) / "minilm"
    if real.is_dir():
        model = SentenceTransformer(str(real), device="cpu")
        save_file({"vectors": np.stack([model.encode(line) for line in REAL_LINES])},
                  out / "minilm_vectors.safetensors")
    (out / "lines.txt").write_text("".join(line + "\n" for line in LINES))


if __name__ == "__main__":
    main()
