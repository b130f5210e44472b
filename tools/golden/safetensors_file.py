#!/usr/bin/env python3
"""Writes tests/golden/foreign.safetensors with the safetensors library.

Requires safetensors, numpy and torch; the tests only read the file.
"""
import pathlib

import torch
from safetensors.torch import save_file

TENSORS = {
    "layer.weight": torch.arange(6, dtype=torch.float32).reshape(2, 3) / 4 - 1,
    "layer.bias": torch.tensor([1.5, -2.0, 0.0078125], dtype=torch.bfloat16),
    "double": torch.tensor([[1e300], [-1e-300]], dtype=torch.float64),
    "ids": torch.tensor([0, -1, 2147483647], dtype=torch.int32),
    "small": torch.tensor([-128, 127, 0], dtype=torch.int8),
    "bytes": torch.tensor([0, 255, 7, 9, 11], dtype=torch.uint8),
    "cube": torch.arange(24, dtype=torch.float32).reshape(2, 3, 2, 2),
    "scalar": torch.tensor(2.5),
    "nothing": torch.zeros(0, 4),
    "half": torch.tensor([1.0, 2.0], dtype=torch.float16),
    "long": torch.tensor([1, 2, 3]),
    "five": torch.zeros(1, 2, 1, 2, 1),
}


def main():
    target = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
    metadata = {"format": "pt", "note": 'quotes " and ünïcode 你好'}
    save_file(TENSORS, target / "foreign.safetensors", metadata=metadata)


if __name__ == "__main__":
    main()
