#!/usr/bin/env python3
"""Golden numbers of feed-forward networks, from the modules of Transformers, in double.

    python3 tools/golden/feed_forward.py [folder, tests/golden by default]

Writes feed_forward.json: for each case "x" [N, D], "y" [N, D] and the parameters by Weft's names.
llama is gated SiLU without biases, gemma gated tanh-GELU without, gpt2 tanh-GELU with biases.
"""

import json
import pathlib
import sys

import torch
from transformers import Gemma3TextConfig, GPT2Config, LlamaConfig
from transformers.models.gemma3.modeling_gemma3 import Gemma3MLP
from transformers.models.gpt2.modeling_gpt2 import GPT2MLP
from transformers.models.llama.modeling_llama import LlamaMLP

FEATURES, INNER, ROWS = 4, 6, 3
GATED = {"gate.weight": "gate_proj.weight", "fc1.weight": "up_proj.weight",
         "fc2.weight": "down_proj.weight"}


def numbers(tensor):
    return tensor.detach().double().tolist()


def gated(module):
    return {ours: numbers(module.get_parameter(theirs)) for ours, theirs in GATED.items()}


def plain(module):
    """GPT-2 keeps weights transposed."""
    return {"fc1.weight": numbers(module.c_fc.weight.T),
            "fc1.bias": numbers(module.c_fc.bias[None]),
            "fc2.weight": numbers(module.c_proj.weight.T),
            "fc2.bias": numbers(module.c_proj.bias[None])}


def case(module, parameters_of):
    module = module.double().eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    x = torch.randn(ROWS, FEATURES, dtype=torch.float64)
    return {"x": numbers(x), "y": numbers(module(x)), "parameters": parameters_of(module)}


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    sizes = {"hidden_size": FEATURES, "intermediate_size": INNER, "num_attention_heads": 2}
    cases = {
        "llama": case(LlamaMLP(LlamaConfig(**sizes)), gated),
        "gemma": case(Gemma3MLP(Gemma3TextConfig(**sizes)), gated),
        "gpt2": case(GPT2MLP(INNER, GPT2Config(n_embd=FEATURES, resid_pdrop=0)), plain),
    }
    (folder / "feed_forward.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
