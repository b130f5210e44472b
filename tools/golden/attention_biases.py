#!/usr/bin/env python3
"""Golden numbers of attention with some biases, from the modules of Transformers, in double.

    python3 tools/golden/attention_biases.py [folder, tests/golden by default]

Writes attention_biases.json: for each case "x" [N, D], "y" [N, D] of self-attention over all rows,
and the parameters by Weft's names. Whisper has no bias of keys, Qwen 2 none of the output, and this
ViT one of the output alone.
"""

import json
import pathlib
import sys

import torch
from transformers import Qwen2Config, ViTConfig, WhisperConfig
from transformers.models.qwen2.modeling_qwen2 import Qwen2Attention
from transformers.models.vit.modeling_vit import ViTAttention
from transformers.models.whisper.modeling_whisper import WhisperAttention

FEATURES, HEADS, KEY_HEADS, ROWS = 8, 4, 2, 5


def parameters_of(module):
    return {name.replace("o_proj", "out_proj"):
            (value[None] if value.dim() == 1 else value).tolist()
            for name, value in module.named_parameters()}


def case(module, **arguments):
    module = module.double().eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    x = torch.randn(1, ROWS, FEATURES, dtype=torch.float64)
    y = module(x, **arguments)[0]
    return {"x": x[0].tolist(), "y": y[0].tolist(), "parameters": parameters_of(module)}


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    whisper = WhisperConfig(d_model=FEATURES, encoder_attention_heads=HEADS,
                            attn_implementation="eager")
    qwen = Qwen2Config(hidden_size=FEATURES, num_attention_heads=HEADS,
                       num_key_value_heads=KEY_HEADS, attn_implementation="eager")
    vit = ViTConfig(hidden_size=FEATURES, num_attention_heads=HEADS, qkv_bias=False,
                    attn_implementation="eager")
    size = FEATURES // HEADS
    unrotated = (torch.ones(1, ROWS, size).double(), torch.zeros(1, ROWS, size).double())
    cases = {
        "whisper": case(WhisperAttention(FEATURES, HEADS, config=whisper)),
        "qwen2": case(Qwen2Attention(qwen, 0), position_embeddings=unrotated,
                      attention_mask=None),
        "vit": case(ViTAttention(vit)),
    }
    (folder / "attention_biases.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    with torch.no_grad():
        main()
