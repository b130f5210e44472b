#!/usr/bin/env python3
"""Writes small encoders in Transformers' format, with vectors by sentence-transformers.

    python3 tools/golden/encoders.py [folder, tests/golden/encoders by default]

Writes a folder for each architecture and for what is special in some: config.json,
model.safetensors with random weights, a tokeniser, the modules of sentence-transformers, and
vectors.safetensors: text.ids and text.offsets, packed, with special symbols, and vectors [B, E] of
the lines of lines.txt. With a folder of MiniLM in $WEFT_MODELS also minilm_vectors.safetensors, the
vectors of REAL_LINES.
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
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

COMMON = dict(vocab_size=48, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
              num_attention_heads=4, max_position_embeddings=24, pad_token_id=0)
LINES = ["a cat sat on the mat", "A CAT!", "", "the cats at the mat, that sat", "x y z",
         " ".join(["cat"] * 30), "tea on a hat"]
WORDS = ["the", "cat", "sat", "on", "mat", "that", "##s", "##at", "a", "!", ","]
REAL_LINES = ["A cat sat on the mat.", "Zażółć gęślą jaźń: 中文!", " ".join(["word"] * 300), ""]
PROMPTS = {"query": "cat: ", "document": ""}
MODELS = {  # options, pooling, layers after it
    "bert": (dict(model_type="bert", hidden_act="gelu"), "mean", ["normalize"]),
    "bert_dense": (dict(model_type="bert", hidden_act="gelu_new", type_vocab_size=3), "cls",
                   [("dense", 10), ("dense", 6)]),
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


TOKENISERS = {"bert": word_pieces}


def randomise(module):
    for parameter in module.parameters():  # values of 0 and 1 would hide errors
        parameter.data += 0.3 * torch.randn_like(parameter)


def base_folder(options, folder):
    torch.manual_seed(1)
    model = AutoModel.from_config(AutoConfig.for_model(**{**COMMON, **options}))
    randomise(model)
    model.save_pretrained(folder)
    TOKENISERS[options["model_type"]]().save_pretrained(folder)


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


def vectors_of(model):
    tokens = [model.tokenizer(line, truncation=True)["input_ids"] for line in LINES]
    offsets = np.cumsum([0] + [len(ids) for ids in tokens])
    vectors = np.stack([model.encode(line) for line in LINES])
    return {"text.ids": np.concatenate(tokens).astype(np.int32),
            "text.offsets": offsets.astype(np.int32), "vectors": vectors}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden/encoders"
    for name, (options, pooling, parts) in MODELS.items():
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        base_folder(options, folder)
        encoder = Transformer(str(folder))
        after = layers_after(parts, COMMON["hidden_size"])
        model = SentenceTransformer(
            modules=[encoder, Pooling(COMMON["hidden_size"], pooling_mode=pooling), *after],
            prompts=PROMPTS, device="cpu")
        save_file(vectors_of(model), out / "vectors.tmp")
        model.save(str(folder), create_model_card=False)
        (out / "vectors.tmp").rename(folder / "vectors.safetensors")
        for file in folder.rglob("*.json"):
            file.write_text(file.read_text().rstrip("\n") + "\n")
    real = pathlib.Path(os.environ.get("WEFT_MODELS", "models")) / "minilm"
    if real.is_dir():
        model = SentenceTransformer(str(real), device="cpu")
        save_file({"vectors": np.stack([model.encode(line) for line in REAL_LINES])},
                  out / "minilm_vectors.safetensors")
    (out / "lines.txt").write_text("".join(line + "\n" for line in LINES))


if __name__ == "__main__":
    main()
