#!/usr/bin/env python3
"""Golden states of a small ModernBERT with random weights, from Transformers, in double.

    python3 tools/golden/modern_bert.py [folder, tests/golden by default]

Writes modern_bert.json: "ids" [N], "states" [N, D] and the parameters by Weft's names. The first
layer has full attention and no norm before it, as embeddings have one; the others see two rows on
each side, with rotary positions of their own. Norms have no biases. Parameters are multiples of
1/8, which are short in JSON.
"""

import json
import pathlib
import re
import sys

import torch
from transformers import ModernBertConfig, ModernBertModel

IDS = [1, 4, 7, 2, 8, 3, 3, 6]
NAMES = [("embeddings.tok_embeddings", "embed_tokens"), ("embeddings.norm", "layernorm_embedding"),
         (r"\.attn\.Wo", ".self_attn.out_proj"), (r"\.attn_norm", ".self_attn_layer_norm"),
         (r"\.mlp_norm", ".final_layer_norm"), (r"\.mlp\.Wo", ".fc2"), ("final_norm", "layer_norm")]
PARTS = {".attn.Wqkv.": [".self_attn.q_proj.", ".self_attn.k_proj.", ".self_attn.v_proj."],
         ".mlp.Wi.": [".gate.", ".fc1."]}


def parameters_of(model):
    out = {}
    for name, parameter in model.named_parameters():
        parameter.copy_((8 * torch.randn_like(parameter) * 0.7).round() / 8)
        value = parameter[None] if parameter.dim() == 1 else parameter
        for pattern, text in NAMES:
            name = re.sub(pattern, text, name)
        for theirs, ours in PARTS.items():
            if theirs in name:
                for part, rows in zip(ours, value.chunk(len(ours))):
                    out[name.replace(theirs, part)] = rows.tolist()
                break
        else:
            out[name] = value.tolist()
    return out


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    config = ModernBertConfig(
        vocab_size=9, hidden_size=8, intermediate_size=6, num_attention_heads=2,
        num_hidden_layers=3, local_attention=4, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        cls_token_id=1, sep_token_id=2, attn_implementation="eager",
        rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 100.0},
                         "sliding_attention": {"rope_type": "default", "rope_theta": 10.0}})
    model = ModernBertModel(config).double().eval()
    parameters = parameters_of(model)
    states = model(torch.tensor([IDS])).last_hidden_state[0]
    (folder / "modern_bert.json").write_text(json.dumps(
        {"ids": IDS, "states": states.tolist(), "parameters": parameters}) + "\n")


if __name__ == "__main__":
    with torch.no_grad():
        main()
