#!/usr/bin/env python3
"""Golden numbers of the decoders of CroCo and of DUSt3R, from their equations in PyTorch.

    python3 tools/golden/croco.py

Writes tests/golden/croco.safetensors: the weights of two decoders by Weft's names under "first."
and "second.", their inputs x1 [N, D] and x2 [M, D], the gradients of their outputs d1 and d2, and

    one          what the first decoder makes of x1 with x2 as its memory (CroCo v2, arXiv
                 2211.10408)
    two.first, two.second
                 what both make when each block attends to the other decoder's states before it
                 (DUSt3R, arXiv 2312.14132)
    grad.one.*, grad.two.*
                 the gradients of sum(one * d1) for x1, x2 and the weights of the first block, and
                 of sum(two.first * d1 + two.second * d2) for x1, x2 and all weights

Each of B pairs has a first view of ROWS[0] and a second of ROWS[1] patches. Requires torch and
safetensors; computed in double from values rounded to float. The tests only read the file.
"""
import pathlib

import torch
from safetensors.torch import save_file
from torch.nn import functional

PAIRS, GRIDS = 2, [(2, 3), (3, 3)]  # of patches
D, HEADS, INNER, BLOCKS, BASE, EPSILON = 16, 2, 24, 2, 100.0, 1e-6
FIRST = "first.layers.0."
ATTENTION = ["q_proj", "k_proj", "v_proj", "out_proj"]


def weights(name):
    """The parameters of one decoder by name, with values that hide no error."""
    out = {}

    def linear(key, rows, columns):
        out[f"{name}.{key}.weight"] = 0.3 * torch.randn(rows, columns)
        out[f"{name}.{key}.bias"] = 0.2 * torch.randn(1, rows)

    def norm(key):
        out[f"{name}.{key}.weight"] = 1 + 0.2 * torch.randn(1, D)
        out[f"{name}.{key}.bias"] = 0.2 * torch.randn(1, D)

    for block in range(BLOCKS):
        for attention in ("self_attn", "encoder_attn"):
            for projection in ATTENTION:
                linear(f"layers.{block}.{attention}.{projection}", D, D)
            norm(f"layers.{block}.{attention}_layer_norm")
        norm(f"layers.{block}.memory_layer_norm")
        norm(f"layers.{block}.final_layer_norm")
        linear(f"layers.{block}.fc1", INNER, D)
        linear(f"layers.{block}.fc2", D, INNER)
    norm("layer_norm")
    return {key: value.double() for key, value in out.items()}


def grid(height, width):
    """The row and the column of each patch."""
    return torch.tensor([(y, x) for y in range(height) for x in range(width)]).double()


def rotary(x, positions):
    """Heads [B, H, N, K]: the first half of the features turned by rows, the other by columns."""
    parts = []
    for part, position in zip(x.chunk(2, -1), positions.T):
        half = part.shape[-1] // 2
        angle = position[:, None] * BASE ** (-torch.arange(half).double() / half)
        a, b = part.chunk(2, -1)
        parts += [a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()]
    return torch.cat(parts, -1)


class Decoder:
    """The blocks of one decoder."""

    def __init__(self, parameters, name):
        self.parameters, self.name = parameters, name

    def linear(self, key, x):
        key = f"{self.name}.{key}"
        return functional.linear(x, self.parameters[key + ".weight"],
                                 self.parameters[key + ".bias"][0])

    def norm(self, key, x):
        key = f"{self.name}.{key}"
        return functional.layer_norm(x, (D,), self.parameters[key + ".weight"][0],
                                     self.parameters[key + ".bias"][0], EPSILON)

    def attention(self, key, queries, keys, places):
        """Queries [B, N, D] attend to keys [B, M, D], with the grid of each."""
        q, k, v = (self.linear(f"{key}.{name}", x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
                   for name, x in zip(ATTENTION, (queries, keys, keys)))
        scores = rotary(q, places[0]) @ rotary(k, places[1]).transpose(-1, -2)
        heads = (scores * (D // HEADS) ** -0.5).softmax(-1) @ v
        return self.linear(f"{key}.out_proj", heads.transpose(1, 2).flatten(-2))

    def block(self, number, x, y, places):
        """Self-attention, cross-attention to y by a norm of its own, and the MLP."""
        key = f"layers.{number}"
        z = self.norm(f"{key}.self_attn_layer_norm", x)
        x = x + self.attention(f"{key}.self_attn", z, z, (places[0], places[0]))
        z = self.norm(f"{key}.encoder_attn_layer_norm", x)
        y = self.norm(f"{key}.memory_layer_norm", y)
        x = x + self.attention(f"{key}.encoder_attn", z, y, places)
        z = self.norm(f"{key}.final_layer_norm", x)
        return x + self.linear(f"{key}.fc2", functional.gelu(self.linear(f"{key}.fc1", z)))


def main():
    torch.manual_seed(1)
    parameters = weights("first") | weights("second")
    rows = [height * width for height, width in GRIDS]
    x1, x2, d1, d2 = (torch.randn(PAIRS, count, D).float().double() for count in rows * 2)
    values = {"x1": x1, "x2": x2}
    leaves = parameters | values
    for value in leaves.values():
        value.data = value.data.float().double()
        value.requires_grad_()
    places = [grid(*size) for size in GRIDS]
    first, second = (Decoder(parameters, name) for name in ("first", "second"))

    one = x1
    for number in range(BLOCKS):
        one = first.block(number, one, x2, places)
    one = first.norm("layer_norm", one)
    a, b = x1, x2
    for number in range(BLOCKS):
        a, b = (first.block(number, a, b, places), second.block(number, b, a, places[::-1]))
    a, b = first.norm("layer_norm", a), second.norm("layer_norm", b)

    tensors = leaves | {"d1": d1, "d2": d2, "one": one, "two.first": a, "two.second": b}
    for name, loss in (("one", (one * d1).sum()), ("two", (a * d1).sum() + (b * d2).sum())):
        kept = [key for key in leaves if key in values or name == "two" or key.startswith(FIRST)]
        found = torch.autograd.grad(loss, [leaves[key] for key in kept])
        tensors |= {f"grad.{name}.{key}": gradient for key, gradient in zip(kept, found)}
    target = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "croco.safetensors"
    save_file({name: t.detach().float().reshape(-1, t.shape[-1]).contiguous()
               for name, t in tensors.items()}, target)


if __name__ == "__main__":
    main()
