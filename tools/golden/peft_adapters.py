#!/usr/bin/env python3
"""Writes small adapters of PEFT, with logits computed by Transformers and PEFT.

    python3 tools/golden/peft_adapters.py [folder, tests/golden/peft by default]

Writes a folder for each adapter of one of the models of tools/golden/language_models.py:
adapter_config.json, adapter_model.safetensors with random matrices, of one folder in float16, and
logits.safetensors in the format of tools/golden/logits.py.
"""

import json
import pathlib
import sys

import numpy as np
import torch
from logits import load_language_model, logits_of_texts
from peft import LoraConfig, get_peft_model
from safetensors.numpy import load_file, save_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADAPTERS = {
    "llama": ("llama", dict(r=3, lora_alpha=5, lora_dropout=0.1, target_modules="all-linear",
                            task_type="CAUSAL_LM")),
    "llama_patterns": ("llama", dict(
        r=4, lora_alpha=6, use_rslora=True, init_lora_weights="gaussian",
        target_modules=["q_proj", "v_proj", "mlp.up_proj", "layers.1.mlp.down_proj"],
        rank_pattern={"up_proj": 2, r"layers\.\d\.self_attn\.v_proj": 1},
        alpha_pattern={"^model.layers.0.self_attn.q_proj": 9, "down_proj": 3})),
    "gemma3": ("gemma3", dict(r=2, lora_alpha=4, target_modules=r".*\.(k_proj|o_proj|gate_proj)",
                              task_type="CAUSAL_LM")),
    "gpt2": ("gpt2", dict(r=2, lora_alpha=3, fan_in_fan_out=True, rank_pattern={"c_fc": 3},
                          target_modules=["c_attn", "c_fc", "h.1.mlp.c_proj"],
                          task_type="CAUSAL_LM")),
}
HALF = "llama_patterns"


def finish(folder, base, is_half):
    """Makes the files the same in every run, on every machine."""
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text())
    config["base_model_name_or_path"] = base
    if isinstance(config["target_modules"], list):
        config["target_modules"].sort()
    path.write_text(json.dumps(config, indent=2) + "\n")
    if is_half:
        path = folder / "adapter_model.safetensors"
        tensors = load_file(path)
        save_file({name: x.astype(np.float16) for name, x in tensors.items()}, path,
                  metadata={"format": "pt"})


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/golden/peft"
    for name, (base, options) in ADAPTERS.items():
        torch.manual_seed(1)
        model = load_language_model(ROOT / "tests/golden/language_models" / base)
        model = get_peft_model(model, LoraConfig(**options)).eval()
        for parameter in model.parameters():
            if parameter.requires_grad:  # B would be zero
                parameter.data = 0.3 * torch.randn_like(parameter)
                if name == HALF:
                    parameter.data = parameter.data.half().float()
        folder = out / name
        model.save_pretrained(folder)
        (folder / "README.md").unlink()
        finish(folder, base, is_half=name == HALF)
        with torch.no_grad():
            logits = logits_of_texts(model, 4, np.random.default_rng(1))
        save_file(logits, folder / "logits.safetensors")


if __name__ == "__main__":
    main()
