#!/usr/bin/env python3
"""Writes the models of tools/golden/language_models.py as GGUF.

    python3 tools/golden/gguf_models.py [folder, tests/golden/language_models by default]

Writes model.gguf, with a tokeniser of single letters, into the folders of the architectures that
GGUF has, and checks that Transformers computes the logits of logits.safetensors with it.
"""

import json
import pathlib
import sys

import gguf
import numpy as np
import torch
from safetensors.numpy import load_file
from transformers import AutoConfig, AutoModelForCausalLM

LLAMA = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
         "post_attention_layernorm": "ffn_norm", "input_layernorm": "attn_norm",
         "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
         "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down", "model.layers.": "blk."}
GPT2 = {"transformer.wte": "token_embd", "transformer.wpe": "position_embd",
        "transformer.ln_f": "output_norm", "lm_head": "output", "ln_1": "attn_norm",
        "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output",
        "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down", "transformer.h.": "blk."}
GEMMA3 = {**LLAMA, "post_attention_layernorm": "post_attention_norm",
          "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"}
FOLDERS = {"llama": LLAMA, "llama3": LLAMA, "qwen2": LLAMA, "qwen3": LLAMA, "gemma3": GEMMA3,
           "gpt2": GPT2}
LETTERS = [chr(c) for c in range(ord("a"), ord("z") + 1)]


def paired(x, heads):
    """Rows of queries or keys with the two features of a rotation side by side."""
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(
        x.shape)


def tensors(folder, config):
    """By the names of GGUF."""
    names = FOLDERS[folder.name]
    for name, x in load_file(folder / "model.safetensors").items():
        if config["model_type"] == "llama":
            if "q_proj" in name:
                x = paired(x, config["num_attention_heads"])
            if "k_proj" in name:
                x = paired(x, config["num_key_value_heads"])
        if config["model_type"] == "gemma3_text" and "norm" in name:
            x = x + 1
        if ".c_" in name and name.endswith("weight"):
            x = x.T
        for theirs, ours in names.items():
            name = name.replace(theirs, ours)
        yield name, np.ascontiguousarray(x)
    scaling = config.get("rope_parameters") or {}
    if scaling.get("rope_type") == "llama3":
        yield "rope_freqs.weight", rope_factors(scaling, config["head_dim"])


def rope_factors(scaling, size):
    """What the rate of each pair of features is divided by (Llama 3.1)."""
    rates = scaling["rope_theta"] ** (-np.arange(0, size, 2) / size)
    waves = scaling["original_max_position_embeddings"] * rates / (2 * np.pi)
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    share = np.clip((waves - low) / (high - low), 0, 1)
    return (1 / (share + (1 - share) / scaling["factor"])).astype(np.float32)


def add_rotary(out, parameters):
    full = parameters.get("full_attention", parameters)
    out.add_rope_freq_base(full["rope_theta"])
    if full["rope_type"] == "linear":
        out.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        out.add_rope_scaling_factor(full["factor"])
    if "sliding_attention" in parameters:
        out.add_rope_freq_base_swa(parameters["sliding_attention"]["rope_theta"])


def add_fields(out, c):
    if c["model_type"] == "gpt2":
        c = {**c, "max_position_embeddings": c["n_positions"], "hidden_size": c["n_embd"],
             "num_hidden_layers": c["n_layer"], "num_attention_heads": c["n_head"],
             "intermediate_size": c["n_inner"] or 4 * c["n_embd"]}
        out.add_layer_norm_eps(c["layer_norm_epsilon"])
    else:
        out.add_layer_norm_rms_eps(c["rms_norm_eps"])
        out.add_head_count_kv(c["num_key_value_heads"])
        add_rotary(out, c["rope_parameters"])
        size = c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
        out.add_rope_dimension_count(size)
        if c["model_type"] in ("qwen3", "gemma3_text") or "head_dim" in c:
            out.add_key_length(size)
            out.add_value_length(size)
    if c["model_type"] == "gemma3_text":
        out.add_sliding_window(c["sliding_window"])
        out.add_sliding_window_pattern([kind == "sliding_attention" for kind in c["layer_types"]])
        out.add_final_logit_softcapping(c["final_logit_softcapping"])
    out.add_context_length(c["max_position_embeddings"])
    out.add_embedding_length(c["hidden_size"])
    out.add_block_count(c["num_hidden_layers"])
    out.add_head_count(c["num_attention_heads"])
    out.add_feed_forward_length(c["intermediate_size"])
    out.add_vocab_size(c["vocab_size"])


def add_tokeniser(out, c):
    pairs = list(zip("abcdefgh", "bcdefghi"))
    tokens = ["<end>", "<unk>", "<begin>", *LETTERS, "Ġ", *(a + b for a, b in pairs)]
    tokens += [f"<unused{i}>" for i in range(c["vocab_size"] - len(tokens))]
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(tokens)
    out.add_token_types([3 if token.startswith("<") else 1 for token in tokens])
    out.add_token_merges([f"{a} {b}" for a, b in pairs])
    out.add_bos_token_id(2)
    out.add_eos_token_id(0)
    out.add_add_bos_token(False)
    if c["model_type"] == "gemma3_text":  # as in its files
        out.add_add_sep_token(False)


def write(folder):
    config = json.loads((folder / "config.json").read_text())
    out = gguf.GGUFWriter(folder / "model.gguf", config["model_type"].removesuffix("_text"))
    add_fields(out, config)
    add_tokeniser(out, config)
    for name, x in tensors(folder, config):
        out.add_tensor(name, x)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def check(folder):
    golden = load_file(folder / "logits.safetensors")
    model = AutoModelForCausalLM.from_pretrained(
        folder, gguf_file="model.gguf", config=AutoConfig.from_pretrained(folder),
        attn_implementation="eager")
    for begin, end in zip(golden["text.offsets"], golden["text.offsets"][1:]):
        ids = torch.tensor(golden["text.ids"][begin:end])[None].long()
        difference = np.abs(model(input_ids=ids).logits[0].numpy() - golden["logits"][begin:end])
        assert difference.max() < 1e-5, (folder, difference.max())


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden/language_models"
    with torch.no_grad():
        for name in FOLDERS:
            write(out / name)
            check(out / name)


if __name__ == "__main__":
    main()
