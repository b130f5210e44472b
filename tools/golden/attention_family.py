"""Golden numbers of positions and kinds of attention, from PyTorch and Transformers.

    python3 tools/golden/attention_family.py [folder, tests/golden by default]

Writes attention_family.json: T5's distance buckets; BLOOM's slopes; rotary positions of Llama and
2-D RoPE (CroCo v2: the first half of a head by row, the second by column); scaled dot-product
attention with grouped heads, a window and slopes, with input gradients; query and key norms as in
Qwen3 and as cosines; the buckets of Reformer's hashes; scaled dot-product attention with a
block-sparse mask, bidirectional and causal, with gradients; T5's self-attention in encoder and
decoder, with the gradient of its bias table.
"""

import json
import pathlib
import sys

import torch
from torch.nn import functional as F
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb, rotate_half
from transformers.models.qwen3.modeling_qwen3 import Qwen3RMSNorm
from transformers.models.reformer.configuration_reformer import ReformerConfig
from transformers.models.reformer.modeling_reformer import LSHSelfAttention
from transformers.models.t5.configuration_t5 import T5Config
from transformers.models.t5.modeling_t5 import T5Attention


def rotations(position, size, base):
    rate = base ** (-torch.arange(0, size, 2).double() / size)
    angle = position[:, None].double() * rate
    return torch.cat([angle, angle], -1)


def llama(x, position, base):
    """x [N, H, K]"""
    angle = rotations(position, x.shape[-1], base)
    q, _ = apply_rotary_pos_emb(x[None], x[None], angle.cos()[None], angle.sin()[None],
                                unsqueeze_dim=2)
    return q[0]


def in_the_plane(x, grid, base):
    halves = []
    for part, position in zip(x.chunk(2, -1), grid.T):
        angle = rotations(position, part.shape[-1], base)[:, None]
        halves.append(part * angle.cos() + rotate_half(part) * angle.sin())
    return torch.cat(halves, -1)


def rows(x):
    """x [H, N, K]"""
    return x.transpose(0, 1).flatten(1).tolist()


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
    return {"window": window, "slopes": slopes.tolist(), "heads": heads, "key_heads": groups,
            "q": rows(q), "k": rows(k), "v": rows(v), "out": rows(out), "d_out": rows(d_out),
            "d_q": rows(q.grad), "d_k": rows(k.grad), "d_v": rows(v.grad)}


def norms():
    """Rows of two heads of 4."""
    x, d_y = torch.randn(3, 2, 4, dtype=torch.double), torch.randn(3, 2, 4, dtype=torch.double)
    x.requires_grad_()
    rms = Qwen3RMSNorm(4, eps=1e-5).double()
    torch.nn.init.normal_(rms.weight)
    y = rms(x)
    y.backward(d_y)
    unit = F.normalize(x.detach(), dim=-1)
    return {"x": x.flatten(1).tolist(), "weight": rms.weight.tolist(),
            "d_y": d_y.flatten(1).tolist(), "rms": y.flatten(1).tolist(),
            "d_x": x.grad.flatten(1).tolist(), "d_weight": rms.weight.grad.tolist(),
            "cosines": (unit[:, 0] * unit[:, 1]).sum(-1).tolist()}


def hashes():
    heads, size, rounds, buckets, length = 2, 4, 3, 6, 9
    config = ReformerConfig(num_attention_heads=heads, attention_head_size=size, hash_seed=5,
                            num_buckets=buckets, num_hashes=rounds, is_decoder=False)
    vectors = torch.randn(1, heads, length, size)
    layer = LSHSelfAttention(config)
    found = layer._hash_vectors(vectors, rounds, None).view(heads, rounds, length)
    found = found - buckets * torch.arange(rounds)[None, :, None]
    torch.manual_seed(5)  # as in the layer
    directions = torch.randn(heads, size, rounds, buckets // 2)
    return {"rows": vectors[0].transpose(0, 1).flatten(1).tolist(),
            "directions": directions.permute(2, 0, 3, 1).flatten().tolist(),
            "buckets": found.permute(1, 2, 0).flatten(1).tolist()}


def block_sparse():
    """Positions attend to their and adjacent blocks; the first attend to all and all to them."""
    heads, size, length, block, first = 2, 3, 9, 2, 1
    q, k, v, d_out = (torch.randn(heads, length, size, dtype=torch.double) for _ in range(4))
    place = torch.arange(length)
    query, key = place[:, None], place[None, :]
    seen = ((query // block - key // block).abs() <= 1) | (query < first) | (key < first)
    found = {"block": block, "global": first, "heads": heads,
             "q": rows(q), "k": rows(k), "v": rows(v), "d_out": rows(d_out)}
    for name, mask in (("both", seen), ("before", seen & (key <= query))):
        inputs = [x.clone().requires_grad_() for x in (q, k, v)]
        out = F.scaled_dot_product_attention(*inputs, attn_mask=mask)
        out.backward(d_out)
        grads = {f"d_{x}": rows(y.grad) for x, y in zip("qkv", inputs)}
        found[name] = {"out": rows(out)} | grads
    return found


def relative():
    """T5's attention in a sentence longer than its largest distance. Inputs are multiples of 1/8,
    which are short in JSON."""
    heads, size, length, buckets, most = 2, 2, 24, 12, 16
    width = heads * size

    def eighths(*shape):
        return (8 * torch.randn(*shape, dtype=torch.double)).round() / 8

    q, k, v, d_out = eighths(4, length, width)
    found = {"heads": heads, "max_distance": most, "q": q.tolist(), "k": k.tolist(),
             "v": v.tolist(), "d_out": d_out.tolist()}
    for name, is_decoder in (("both", False), ("before", True)):
        config = T5Config(d_model=3 * width, d_kv=size, num_heads=heads, is_decoder=is_decoder,
                          relative_attention_num_buckets=buckets,
                          relative_attention_max_distance=most, attn_implementation="eager")
        layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).double().eval()
        # Its projections select q, k and v from concatenated rows.
        for part, own in zip((layer.q, layer.k, layer.v), torch.eye(3 * width).double().chunk(3)):
            part.weight.data = own
        layer.o = torch.nn.Identity()
        table = layer.relative_attention_bias.weight
        table.data = eighths(buckets, heads)
        later = torch.full((length, length), -torch.inf).double().triu(1) if is_decoder else None
        out = layer(torch.cat([q, k, v], -1)[None], mask=later)[0][0]
        out.backward(d_out)
        found[name] = {"table": table.tolist(), "out": out.tolist(), "d_table": table.grad.tolist()}
    return found


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
             "rotary": rotary, "attention": attention(), "norms": norms(), "hashes": hashes(),
             "block_sparse": block_sparse(), "relative": relative()}
    path.write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
