#!/usr/bin/env python3
"""Writes small language models in Transformers' format, with logits computed by Transformers.

    python3 tools/golden/language_models.py [folder, tests/golden/language_models by default]

Writes a folder for each architecture and for what is special in some: config.json,
model.safetensors with random weights, and logits.safetensors in the format of
tools/golden/logits.py.
"""

import pathlib
import subprocess
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM

COMMON = dict(vocab_size=40, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
              num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32,
              rms_norm_eps=1e-5, bos_token_id=2, eos_token_id=0, pad_token_id=None)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16, rope_theta=500.0)
YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=8, rope_theta=100.0)
GEMMA3 = dict(model_type="gemma3_text", num_hidden_layers=3, head_dim=6, sliding_window=3,
              layer_types=["sliding_attention", "full_attention", "sliding_attention"],
              query_pre_attn_scalar=6, final_logit_softcapping=5.0,
              rope_parameters={"full_attention": dict(rope_type="linear", factor=2.0,
                                                      rope_theta=500.0),
                               "sliding_attention": dict(rope_type="default", rope_theta=50.0)})
MODELS = {
    "llama": dict(model_type="llama", tie_word_embeddings=True),
    "llama3": dict(model_type="llama", rope_parameters=LLAMA3, head_dim=6, attention_bias=True,
                   mlp_bias=True, eos_token_id=[0, 5]),
    "mistral": dict(model_type="mistral", sliding_window=3, rope_parameters=YARN),
    "qwen2": dict(model_type="qwen2"),
    "qwen3": dict(model_type="qwen3", head_dim=6),
    "qwen2_window": dict(model_type="qwen2", num_hidden_layers=3, use_sliding_window=True,
                         sliding_window=3, max_window_layers=1),
    "gemma3": GEMMA3,
    "gemma3_scaled": dict(GEMMA3, query_pre_attn_scalar=5, attention_bias=True),
    "gpt2": dict(model_type="gpt2", n_embd=12, n_layer=2, n_head=3, n_positions=32),
}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden/language_models"
    for name, options in MODELS.items():
        torch.manual_seed(1)
        common = COMMON if options["model_type"] != "gpt2" else {
            key: COMMON[key] for key in ("vocab_size", "bos_token_id", "eos_token_id")}
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**{**common, **options}))
        for parameter in model.parameters():  # values of 0 and 1 would hide errors
            parameter.data += 0.3 * torch.randn_like(parameter)
            if "gemma3" in name:  # as Gemma's: so that 1 can be added to norms without rounding
                parameter.data = parameter.data.bfloat16().float()
        folder = out / name
        model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        subprocess.run([sys.executable, pathlib.Path(__file__).with_name("logits.py"), folder,
                        folder / "logits.safetensors", "4"], check=True)


if __name__ == "__main__":
    main()
