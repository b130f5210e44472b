"""Golden numbers of positions and kinds of attention, from PyTorch and Transformers.

    python3 tools/golden/attention_family.py [folder, tests/golden by default]

Writes attention_family.json: T5's buckets of distances, BLOOM's slopes, rotary positions as Llama
turns them and as RoPE in two dimensions is defined (CroCo v2: the first half of a head by the row,
the second by the column), and scaled dot-product attention with grouped heads, a window and slopes
with the gradients of its inputs.
"""

import json
import pathlib
import sys

import torch
from torch.nn import functional as F
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb, rotate_half
from transformers.models.t5.modeling_t5 import T5Attention


def turns(position, size, base):
    rate = base ** (-torch.arange(0, size, 2).double() / size)
    angle = position[:, None].double() * rate
    return torch.cat([angle, angle], -1)


def llama(x, position, base):
    """x [N, H, K]"""
    angle = turns(position, x.shape[-1], base)
    q, _ = apply_rotary_pos_emb(x[None], x[None], angle.cos()[None], angle.sin()[None],
                                unsqueeze_dim=2)
    return q[0]


def in_the_plane(x, grid, base):
    halves = []
    for part, position in zip(x.chunk(2, -1), grid.T):
        angle = turns(position, part.shape[-1], base)[:, None]
        halves.append(part * angle.cos() + rotate_half(part) * angle.sin())
    return torch.cat(halves, -1)


def attention():
    heads, groups, size, length, window = 4, 2, 3, 7, 2
    q, k, v = (torch.randn(h, length, size, dtype=torch.double, requires_grad=True)
               for h in (heads, groups, groups))
    place = torch.arange(length)
    distance = (place[None, :] - place[:, None]).abs()
    slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625]).double()
    mask = -slopes[:, None, None] * distance
    mask = mask.masked_fill((distance > window) | (place[None, :] > place[:, None]), -torch.inf)
    out = F.scaled_dot_product_attention(q[None], k[None], v[None], mask[None], enable_gqa=True)[0]
    d_out = torch.randn_like(out)
    out.backward(d_out)

    def rows(x):
        return x.transpose(0, 1).flatten(1).tolist()

    return {"window": window, "slopes": slopes.tolist(), "heads": heads, "key_heads": groups,
            "q": rows(q), "k": rows(k), "v": rows(v), "out": rows(out), "d_out": rows(d_out),
            "d_q": rows(q.grad), "d_k": rows(k.grad), "d_v": rows(v.grad)}


def main():
    torch.manual_seed(3)
    distances = torch.arange(-150, 151)
    buckets = {name: T5Attention._relative_position_bucket(distances, both, 32, 128).tolist()
               for name, both in (("both", True), ("before", False))}
    slopes = {h: build_alibi_tensor(torch.ones(1, 2), h, torch.float32)[:, 0, 1].tolist()
              for h in (1, 4, 6, 8, 12)}
    x = torch.randn(3, 2, 8, dtype=torch.double)
    position, grid = torch.tensor([0, 5, 17]), torch.tensor([[0, 0], [3, 1], [2, 9]])
    rotary = {"x": x.flatten(1).tolist(), "position": position.tolist(),
              "grid": grid.flatten().tolist(),
              "llama": llama(x, position, 10000).flatten(1).tolist(),
              "plane": in_the_plane(x, grid, 100).flatten(1).tolist()}
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    path = folder / "attention_family.json"
    found = {"distances": distances.tolist(), "buckets": buckets, "slopes": slopes,
             "rotary": rotary, "attention": attention()}
    path.write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
