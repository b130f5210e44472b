#!/usr/bin/env python3
"""Writes the BERT of tools/golden/encoders.py as GGUF, with the names of llama.cpp's package gguf.

    python3 tools/golden/gguf_encoder.py [folder, tests/golden/encoders/bert by default]

Writes model.gguf into the folder.
"""

import json
import pathlib
import sys

import gguf
from safetensors.numpy import load_file

CONTROL, NORMAL = 3, 1
LEFT_OUT = ("pooler.", "embeddings.position_ids")


def add_fields(out, c):
    out.add_context_length(c["max_position_embeddings"])
    out.add_embedding_length(c["hidden_size"])
    out.add_block_count(c["num_hidden_layers"])
    out.add_head_count(c["num_attention_heads"])
    out.add_feed_forward_length(c["intermediate_size"])
    out.add_layer_norm_eps(c["layer_norm_eps"])
    out.add_causal_attention(False)
    out.add_pooling_type(gguf.PoolingType.MEAN)


def add_tokeniser(out, folder, c):
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf8"))
    special = {one["content"] for one in tokenizer["added_tokens"] if one["special"]}
    vocabulary = tokenizer["model"]["vocab"]
    tokens, types = [], []
    for token in sorted(vocabulary, key=vocabulary.get):
        types.append(CONTROL if token in special else NORMAL)
        if token not in special:
            token = token[2:] if token.startswith("##") else "\u2581" + token
        tokens.append(token)
    out.add_tokenizer_model("bert")
    out.add_tokenizer_pre("default")
    out.add_token_list(tokens)
    out.add_token_types(types)
    out.add_token_type_count(c["type_vocab_size"])
    out.add_unk_token_id(tokens.index("[UNK]"))
    out.add_sep_token_id(tokens.index("[SEP]"))
    out.add_pad_token_id(tokens.index("[PAD]"))
    out.add_bos_token_id(tokens.index("[CLS]"))
    out.add_mask_token_id(tokens.index("[MASK]"))


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1
              else root / "tests/golden/encoders/bert")
    config = json.loads((folder / "config.json").read_text())
    out = gguf.GGUFWriter(folder / "model.gguf", "bert")
    add_fields(out, config)
    add_tokeniser(out, folder, config)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, config["num_hidden_layers"])
    for name, x in load_file(folder / "model.safetensors").items():
        if name.startswith(LEFT_OUT):
            continue
        out.add_tensor(names.get_name(name, try_suffixes=(".weight", ".bias")), x)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


if __name__ == "__main__":
    main()
