#!/usr/bin/env python3
"""Writes small files of torch.save, and the same tensors as safetensors.

    python3 tools/golden/torch_file.py [folder, tests/golden/torch by default]

Writes tensors.bin, tensors.protocol4.bin, tensors.safetensors, and legacy.bin in the format before
PyTorch 1.6; bert.bin and adapter.bin, the weights of tests/golden/encoders/bert and of
tests/golden/peft/llama.
"""

import collections
import pathlib
import sys

import torch
from safetensors.torch import load_file, save_file


def tensors():
    draw = torch.Generator().manual_seed(1)
    table = torch.randn(4, 6, generator=draw)
    out = collections.OrderedDict()
    out["matrix"] = torch.nn.Parameter(table)
    out["tied"] = out["matrix"]
    out["transposed"] = table.T
    out["middle"] = table[1:3, 2:5]
    out["vector"] = torch.randn(5, generator=draw)
    out["half"] = torch.randn(2, 3, generator=draw).half()
    out["bfloat"] = torch.randn(2, 3, generator=draw).bfloat16()
    out["repeated"] = torch.randn(1, 3, generator=draw).expand(1, 3)
    out["cube"] = torch.randn(2, 3, 2, 2, generator=draw).permute(3, 1, 0, 2)
    out["number"] = torch.tensor(1.5)
    out["empty"] = torch.zeros(0, 3)
    out["ids"] = torch.arange(4)
    out["flags"] = torch.tensor([True, False])
    out["five"] = torch.zeros(1, 1, 1, 1, 2)
    return out


def main():
    root = pathlib.Path(__file__).resolve().parents[2] / "tests/golden"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "torch"
    folder.mkdir(exist_ok=True)
    made = tensors()
    torch.save(made, folder / "tensors.bin")
    torch.save(dict(made), folder / "tensors.protocol4.bin", pickle_protocol=4)
    torch.save(made, folder / "legacy.bin", _use_new_zipfile_serialization=False)
    save_file({name: x.detach().clone().contiguous() for name, x in made.items()},
              folder / "tensors.safetensors")
    torch.save(load_file(root / "encoders/bert/model.safetensors"), folder / "bert.bin")
    torch.save(load_file(root / "peft/llama/adapter_model.safetensors"), folder / "adapter.bin")


if __name__ == "__main__":
    main()
