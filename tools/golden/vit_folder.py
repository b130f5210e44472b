#!/usr/bin/env python3
"""Writes a small Vision Transformer in Transformers' format, with logits computed by Transformers.

    python3 tools/golden/vit_folder.py [folder, tests/golden/vit_folder by default]

Writes config.json, preprocessor_config.json and model.safetensors of a ViTForImageClassification
with random weights, logits.safetensors in the format of tools/golden/logits.py, and picture.png,
its first picture.
"""

import pathlib
import subprocess
import sys

import torch
from PIL import Image
from safetensors.numpy import load_file
from transformers import ViTConfig, ViTForImageClassification, ViTImageProcessor

SIZE, PATCH, LABELS = (4, 6), 2, ["shirt", "ankle boot", "bag", "coat", "dress"]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden/vit_folder"
    torch.manual_seed(1)
    model = ViTForImageClassification(ViTConfig(
        hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
        image_size=SIZE, patch_size=PATCH, num_channels=3, layer_norm_eps=1e-6,
        hidden_dropout_prob=0.1, id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)}))
    for parameter in model.parameters():  # values of 0 and 1 would hide errors
        parameter.data += 0.3 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    ViTImageProcessor(size={"height": SIZE[0], "width": SIZE[1]}, image_mean=[0.4, 0.5, 0.6],
                      image_std=[0.2, 0.25, 0.3]).save_pretrained(folder)
    logits = folder / "logits.safetensors"
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name("logits.py"), folder, logits,
                    "4"], check=True)
    Image.fromarray(load_file(logits)["pictures"][0]).save(folder / "picture.png")


if __name__ == "__main__":
    main()
