#!/usr/bin/env python3
"""Checks models of Transformers with random weights there and back.

    PYTHON benchmarks/tasks/conversion/both_ways.py [--weft PROGRAM]

PYTHON has torch, transformers, tokenizers and safetensors. Each model is made and saved by
Transformers, read by `weft convert --from-hf --check`, written by `--to-hf`, and opened by
Transformers again: logits have to agree to 1e-4 on both ways, and tensors come back to the byte.
Prints one JSON object, which is also written to benchmarks/results, and a verdict for each
architecture.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteDecoder
from tokenizers.decoders import Metaspace as MetaspaceDecoder
from tokenizers.models import BPE, Unigram
from tokenizers.pre_tokenizers import ByteLevel, Metaspace
from transformers import (AutoConfig, AutoModelForCausalLM, MarianConfig, MarianMTModel,
                          PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration, ViTConfig,
                          ViTForImageClassification, ViTImageProcessor)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, ROOT, report, run  # noqa: E402

DIFFERENCE = 1e-4


def save_marian(folder, size, more):
    """A translator with one vocabulary of words."""
    model = MarianMTModel(MarianConfig(
        vocab_size=size, decoder_vocab_size=size, d_model=64, encoder_layers=3, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=96,
        decoder_ffn_dim=96, pad_token_id=size - 1, decoder_start_token_id=size - 1,
        eos_token_id=0, forced_eos_token_id=None, scale_embedding=True,
        max_position_embeddings=64, **more))
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    vocabulary = {"</s>": 0, "<unk>": 1, **{f"w{i}": i for i in range(2, size - 1)},
                  "<pad>": size - 1}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))


def save_vit(folder, size, channels, more):
    """A classifier of pictures."""
    model = ViTForImageClassification(ViTConfig(
        hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128,
        image_size=size, num_channels=channels, num_labels=7, **more))
    for parameter in model.parameters():  # else biases are 0 and norms 1
        parameter.data += 0.05 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    height, width = size if isinstance(size, tuple) else (size, size)
    ViTImageProcessor(size={"height": height, "width": width}, image_mean=[0.4] * channels,
                      image_std=[0.3] * channels).save_pretrained(folder)


LANGUAGE_MODEL = dict(vocab_size=60, hidden_size=64, intermediate_size=96, num_hidden_layers=3,
                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
                      bos_token_id=1, eos_token_id=0, pad_token_id=None)
SCALINGS = {"linear": dict(factor=4.0),
            "llama3": dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                           original_max_position_embeddings=32),
            "yarn": dict(factor=4.0, original_max_position_embeddings=16)}


def save_language_model(folder, model_type, **more):
    """A language model with a tokeniser of bytes."""
    common = LANGUAGE_MODEL if model_type != "gpt2" else dict(
        vocab_size=60, n_embd=64, n_layer=3, n_head=4, n_positions=64, bos_token_id=1,
        eos_token_id=0)
    model = AutoModelForCausalLM.from_config(
        AutoConfig.for_model(model_type, **{**common, **more}))
    for parameter in model.parameters():  # else biases are 0 and norms 1
        parameter.data += 0.05 * torch.randn_like(parameter)
        if model_type == "gemma3_text":  # so that norms come back to the byte (docs/convert.md)
            parameter.data = 1 + parameter.data.bfloat16().float() - 1  # none below 2^-16
    model.save_pretrained(folder)
    letters = {chr(ord("A") + i): i + 2 for i in range(57)}
    tokenizer = Tokenizer(BPE(vocab={"</s>": 0, "<s>": 1, **letters, "Ġ": 59}, merges=[]))
    tokenizer.pre_tokenizer, tokenizer.decoder = ByteLevel(add_prefix_space=False), ByteDecoder()
    tokenizer.add_special_tokens(["</s>", "<s>"])
    tokenizer.save(str(folder / "tokenizer.json"))


def save_t5(folder, **more):
    """A model from text to text, with more rows in its table than its tokeniser has tokens."""
    model = T5ForConditionalGeneration(T5Config(
        vocab_size=64, d_model=48, d_kv=16, d_ff=96, num_layers=3, num_decoder_layers=2,
        num_heads=4, decoder_start_token_id=0, **more))
    if more.get("tie_word_embeddings") is False:  # Transformers ties them nevertheless
        model.lm_head.weight = torch.nn.Parameter(torch.randn(64, 48))
    for parameter in model.parameters():  # else norms are 1
        parameter.data += 0.05 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    pieces = [(piece, -float(i)) for i, piece in enumerate(
        ["<pad>", "</s>", "<unk>", "\u2581", *(chr(ord("a") + i) for i in range(26))])]
    tokenizer = Tokenizer(Unigram(pieces, unk_id=2))
    tokenizer.pre_tokenizer, tokenizer.decoder = Metaspace(), MetaspaceDecoder()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>",
                            unk_token="<unk>").save_pretrained(folder)


def scaled(kind):
    return dict(rope_type=kind, rope_theta=1000.0, **SCALINGS[kind])


MODELS = {
    "llama": lambda folder: save_language_model(folder, "llama"),
    **{f"llama, {kind}": lambda folder, kind=kind: save_language_model(
        folder, "llama", rope_parameters=scaled(kind), attention_bias=True, mlp_bias=True)
       for kind in SCALINGS},
    "mistral": lambda folder: save_language_model(folder, "mistral", sliding_window=8),
    "qwen2": lambda folder: save_language_model(folder, "qwen2"),
    "qwen2, windows": lambda folder: save_language_model(
        folder, "qwen2", use_sliding_window=True, sliding_window=8, max_window_layers=1),
    "qwen3": lambda folder: save_language_model(folder, "qwen3", head_dim=24),
    "gemma3": lambda folder: save_language_model(
        folder, "gemma3_text", head_dim=24, sliding_window=8, query_pre_attn_scalar=20,
        sliding_window_pattern=2, final_logit_softcapping=10.0),
    "gpt2": lambda folder: save_language_model(folder, "gpt2"),
    "marian, swish": lambda folder: save_marian(folder, 50, {"activation_function": "swish"}),
    "marian, gelu": lambda folder: save_marian(folder, 50, {"activation_function": "gelu"}),
    "t5": lambda folder: save_t5(folder, feed_forward_proj="relu"),
    "t5, v1.1": lambda folder: save_t5(folder, feed_forward_proj="gated-gelu",
                                       tie_word_embeddings=False),
    "vit": lambda folder: save_vit(folder, 32, 3, {"patch_size": 8}),
    "vit, grey, relu": lambda folder: save_vit(
        folder, (24, 40), 1, {"patch_size": 4, "hidden_act": "relu", "layer_norm_eps": 1e-6}),
}


def logits(folder, name):
    """The file of logits that Transformers computes for a model."""
    out = folder.with_name(name)
    run([sys.executable, str(ROOT / "tools/golden/logits.py"), folder, out])
    return out


def check(options, save, folder):
    """Differences of logits after reading and after writing, and of tensors."""
    theirs, model, back = folder / "theirs", folder / "model.safetensors", folder / "back"
    save(theirs)
    before = logits(theirs, "before.safetensors")
    read = run([options.weft, "convert", "--from-hf", theirs, "-o", model, "--check", before])
    run([options.weft, "convert", "-m", model, "--to-hf", back])
    first, second = load_file(before), load_file(logits(back, "after.safetensors"))
    x, y = (load_file(path / "model.safetensors") for path in (theirs, back))
    return {"read": float(read.split(":")[1].split()[0]),
            "written": (first["logits"] - second["logits"]).abs().max().item(),
            "same_tensors": x.keys() == y.keys() and all(torch.equal(x[n], y[n]) for n in x)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    options = parser.parse_args()
    torch.manual_seed(1)
    runs = {}
    for name, save in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            runs[name] = check(options, save, pathlib.Path(folder))
    goals = [(f"{name}, {way}", one[way], -DIFFERENCE) for name, one in runs.items()
             for way in ("read", "written")]
    goals += [(f"{name}, same tensors", float(one["same_tensors"]), 1)
              for name, one in runs.items()]
    report("both_ways", {"runs": runs}, goals)


if __name__ == "__main__":
    main()
