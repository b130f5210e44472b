#!/usr/bin/env python3
"""Writes small Marian models in Transformers' format, with logits computed by Transformers.

    python3 tools/golden/marian.py [folder, tests/golden by default]

Writes marian_shared (all embeddings tied, swish), and marian_apart (two vocabularies, the target's
embedding tied to the output, relu): config.json, model.safetensors, vocab.json, target_vocab.json
if it differs, and logits.safetensors in the format of tools/golden/logits.py.
"""

import json
import pathlib
import subprocess
import sys

import torch
from transformers import MarianConfig, MarianMTModel

COMMON = dict(d_model=12, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3,
              decoder_attention_heads=3, encoder_ffn_dim=20, decoder_ffn_dim=20, dropout=0.1,
              scale_embedding=True, static_position_embeddings=True, max_position_embeddings=32,
              eos_token_id=0, forced_eos_token_id=None)
MODELS = {"marian_shared": (15, 15, dict(activation_function="swish")),
          "marian_apart": (13, 11, dict(activation_function="relu",
                                        share_encoder_decoder_embeddings=False))}


def vocabulary(prefix, size):
    return {"</s>": 0, "<unk>": 1, **{f"{prefix}{i}": i for i in range(2, size - 1)},
            "<pad>": size - 1}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    for name, (source, target, more) in MODELS.items():
        torch.manual_seed(1)
        config = MarianConfig(vocab_size=source, decoder_vocab_size=target,
                              pad_token_id=target - 1, decoder_start_token_id=target - 1,
                              **COMMON, **more)
        model = MarianMTModel(config).eval()
        with torch.no_grad():
            for parameter in model.parameters():  # avoid values of 0 and 1, which hide errors
                parameter.normal_(0, 0.4)
            model.final_logits_bias.normal_(0, 0.4)
            for side in (model.model.encoder, model.model.decoder):
                positions = side.embed_positions
                positions.weight.copy_(positions.create_weight())
        folder = root / name
        model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        (folder / "vocab.json").write_text(json.dumps(vocabulary("s", source)) + "\n")
        if source != target:
            text = json.dumps(vocabulary("t", target)) + "\n"
            (folder / "target_vocab.json").write_text(text)
        script = pathlib.Path(__file__).with_name("logits.py")
        subprocess.run([sys.executable, script, folder, folder / "logits.safetensors", "4"],
                       check=True)


if __name__ == "__main__":
    main()
