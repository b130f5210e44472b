#!/usr/bin/env python3
"""Golden logits of small decoder-only models with random weights, from Transformers, in double.

    python3 tools/golden/decoders.py [folder, tests/golden by default]

Writes decoders.json: for each model "ids" [N], "logits" [N, V] and the parameters by Weft's names.
Heads have another size than D / H. Mistral has local attention in all layers; Gemma 2 sandwich
norms, soft caps and local attention in every other layer; Gemma 3 sandwich norms, norms of queries
and keys, and local layers with rotary positions of their own. Gemma's norm weights, stored less
one, are given as they are applied. Parameters are multiples of 1/8, which are short in JSON.
"""

import json
import pathlib
import re
import sys

import torch
from transformers import (Gemma2Config, Gemma2ForCausalLM, Gemma3ForCausalLM, Gemma3TextConfig,
                          MistralConfig, MistralForCausalLM)

SIZES = {"vocab_size": 9, "hidden_size": 4, "intermediate_size": 6, "num_attention_heads": 2,
         "num_key_value_heads": 1, "head_dim": 6, "pad_token_id": None, "bos_token_id": 1,
         "eos_token_id": 0, "attn_implementation": "eager"}
IDS = [1, 4, 7, 2, 8, 3, 3, 6]
WINDOW = 3
NAMES = [(r"^model\.", "model.decoder."), (r"decoder\.norm", "decoder.layer_norm"),
         (r"\.o_proj\.", ".out_proj."), (r"\.mlp\.gate_proj", ".gate"),
         (r"\.mlp\.up_proj", ".fc1"), (r"\.mlp\.down_proj", ".fc2"),
         (r"\.input_layernorm", ".self_attn_layer_norm")]
PRE_NORMS = [(r"\.post_attention_layernorm", ".final_layer_norm")]
SANDWICH_NORMS = [(r"\.post_attention_layernorm", ".self_attn_output_norm"),
                  (r"\.pre_feedforward_layernorm", ".final_layer_norm"),
                  (r"\.post_feedforward_layernorm", ".final_output_norm")]


def renamed(name, norms):
    for pattern, text in NAMES + norms:
        name = re.sub(pattern, text, name)
    return name


def case(model, is_gemma=False):
    model = model.double().eval()
    norms = SANDWICH_NORMS if is_gemma else PRE_NORMS
    parameters = {}
    for name, parameter in model.named_parameters():
        parameter.copy_((8 * torch.randn_like(parameter) * 0.7).round() / 8)
        is_norm = parameter.dim() == 1
        given = parameter[None] + (1 if is_gemma and is_norm else 0) if is_norm else parameter
        parameters[renamed(name, norms)] = given.tolist()
    logits = model(torch.tensor([IDS])).logits[0]
    return {"ids": IDS, "logits": logits.tolist(), "parameters": parameters}


def rope(theta, **scaling):
    return {"rope_type": scaling.pop("rope_type", "default"), "rope_theta": theta, **scaling}


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    untied = SIZES | {"tie_word_embeddings": False}
    local = {"sliding_window": WINDOW}
    gemma = SIZES | local | {"query_pre_attn_scalar": 5}
    cases = {
        "mistral": case(MistralForCausalLM(MistralConfig(**untied, **local, num_hidden_layers=2))),
        "gemma2": case(Gemma2ForCausalLM(Gemma2Config(
            **gemma, num_hidden_layers=2, attn_logit_softcapping=2.0,
            final_logit_softcapping=3.0)), is_gemma=True),
        "gemma3": case(Gemma3ForCausalLM(Gemma3TextConfig(
            **gemma, num_hidden_layers=3, sliding_window_pattern=3,
            rope_parameters={"sliding_attention": rope(10.0),
                             "full_attention": rope(100.0, rope_type="linear", factor=4.0)})),
            is_gemma=True),
    }
    (folder / "decoders.json").write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    with torch.no_grad():
        main()
