"""Golden numbers of a small encoder-decoder, from PyTorch's nn.Transformer.

    python3 tools/golden/seq2seq.py [folder, tests/golden by default]

Writes seq2seq_post, seq2seq_pre, seq2seq_tied and seq2seq_rms (.safetensors). Each holds, by the
names of Transformers' Marian model, the initial weights and under "grad.<name>" the
gradient of the first loss; "input.*" is the batch, packed without padding; "logits" [N, V] are of
the first forward pass, "attention.STACK.LAYER.ROLE.EXAMPLE" [H, T, S] the probabilities of every
attention in that pass, "ablation.STACK.LAYER.ROLE" [H] the first loss while one head adds nothing,
"losses" [11] are before and after each of ten Adam updates. A tied matrix
is stored under each of its names, with the same summed gradient. Computed in double from weights
rounded to float; padding and masks are only used inside PyTorch.
"""

import math
import pathlib
import sys

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn import functional as F

D_MODEL, HEADS, FFN, LAYERS = 16, 2, 32, 2
SRC_VOCAB, TRG_VOCAB = 13, 11
SMOOTHING = 0.1
END = 0
SRC = [[5, 9, 3, 12, 0], [7, 0], [2, 11, 4, 4, 8, 6, 0]]
TRG = [[4, 10, 2, 0], [9, 3, 5, 6, 8, 0], [7, 2, 0]]


def sinusoids(length):
    """Even features sin, odd ones cos (Vaswani et al. 2017)."""
    position, feature = torch.arange(length).double(), torch.arange(0, D_MODEL, 2).double()
    angle = position[:, None] / 10000 ** (feature / D_MODEL)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def use_rms_norms(module):
    """Replaces every LayerNorm by an RMSNorm."""
    for name, part in module.named_children():
        if isinstance(part, nn.LayerNorm):
            setattr(module, name, nn.RMSNorm(D_MODEL, eps=part.eps))
        else:
            use_rms_norms(part)


class Seq2Seq(nn.Module):
    def __init__(self, pre_norm, tied, rms):
        super().__init__()
        options = dict(dropout=0.0, activation="relu", batch_first=True, norm_first=pre_norm)
        encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(D_MODEL, HEADS, FFN, **options), LAYERS,
            norm=nn.LayerNorm(D_MODEL) if pre_norm else None, enable_nested_tensor=False)
        decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(D_MODEL, HEADS, FFN, **options), LAYERS,
            norm=nn.LayerNorm(D_MODEL) if pre_norm else None)
        self.transformer = nn.Transformer(D_MODEL, HEADS, custom_encoder=encoder,
                                          custom_decoder=decoder, batch_first=True)
        if rms:
            use_rms_norms(self.transformer)
        self.src_embedding = nn.Embedding(TRG_VOCAB if tied else SRC_VOCAB, D_MODEL)
        self.trg_embedding = nn.Embedding(TRG_VOCAB, D_MODEL)
        self.head = nn.Linear(D_MODEL, TRG_VOCAB)
        for embedding in (self.src_embedding, self.trg_embedding):
            nn.init.normal_(embedding.weight, std=D_MODEL ** -0.5)
        if tied:
            self.trg_embedding.weight = self.src_embedding.weight
            self.head.weight = self.src_embedding.weight
        for name, parameter in self.named_parameters():  # values of 0 and 1 would hide errors
            if parameter.dim() == 1:
                is_gain = "norm" in name and name.endswith("weight")
                nn.init.normal_(parameter, mean=1.0 if is_gain else 0.0, std=0.2)

    def embed(self, embedding, ids):
        return embedding(ids) * math.sqrt(D_MODEL) + sinusoids(ids.shape[1])

    def forward(self, src, src_padding, trg, trg_padding):
        causal = nn.Transformer.generate_square_subsequent_mask(trg.shape[1]).isinf()
        hidden = self.transformer(
            self.embed(self.src_embedding, src), self.embed(self.trg_embedding, trg),
            tgt_mask=causal, src_key_padding_mask=src_padding,
            tgt_key_padding_mask=trg_padding, memory_key_padding_mask=src_padding)
        return self.head(hidden[~trg_padding])  # [N, V]


def marian_tensors(model, value):
    """{Marian's name: value(parameter)}, with the packed Q, K and V split."""
    names = {"linear1": "fc1", "linear2": "fc2", "norm1": "self_attn_layer_norm"}
    norms = {"encoder": {"norm2": "final_layer_norm"},
             "decoder": {"norm2": "encoder_attn_layer_norm", "norm3": "final_layer_norm",
                         "multihead_attn": "encoder_attn"}}
    tensors = {
        "model.encoder.embed_tokens.weight": value(model.src_embedding.weight),
        "model.decoder.embed_tokens.weight": value(model.trg_embedding.weight),
        "lm_head.weight": value(model.head.weight),
        "final_logits_bias": value(model.head.bias)[None],  # [1, V]
    }
    for name, parameter in model.transformer.named_parameters():
        side, rest = name.split(".", 1)
        words = [{**names, **norms[side]}.get(word, word) for word in rest.split(".")]
        words = ["layer_norm" if word == "norm" else word for word in words]
        path = f"model.{side}." + ".".join(words)
        if words[-1].startswith("in_proj_"):
            base, kind = path.rsplit(".in_proj_", 1)
            for part, piece in zip("qkv", value(parameter).chunk(3)):
                tensors[f"{base}.{part}_proj.{kind}"] = piece
        else:
            tensors[path] = value(parameter)
    return tensors


class Attentions:
    """The probabilities of every attention in the passes while it records."""

    def __init__(self, model):
        self.found = {}
        for name, part in model.transformer.named_modules():
            if isinstance(part, nn.MultiheadAttention):
                part.register_forward_pre_hook(self.recorder(name), with_kwargs=True)

    def recorder(self, name):
        stack, _, layer, part = name.split(".")
        key = f"attention.{stack}.{layer}.{'cross' if part == 'multihead_attn' else 'self'}"

        def record(module, args, kwargs):
            if key in self.found:  # the first pass alone
                return
            self.found[key] = None  # the call below comes here again
            wanted = kwargs | {"need_weights": True, "average_attn_weights": False}
            self.found[key] = module(*args, **wanted)[1].detach()  # [B, H, T, S]

        return record

    def tensors(self, source_lengths, target_lengths):
        """Those of each example without its padding."""
        out = {}
        for key, all_examples in self.found.items():
            queries = source_lengths if ".encoder." in key else target_lengths
            keys = target_lengths if ".decoder." in key and key.endswith("self") \
                else source_lengths
            for i, (rows, columns) in enumerate(zip(queries, keys)):
                out[f"{key}.{i}"] = all_examples[i, :, :rows, :columns].clone()
        return out


def ablation(model, loss):
    """The losses while the outputs of one head of one attention are zero."""
    out = {}
    for name, part in model.transformer.named_modules():
        if not isinstance(part, nn.MultiheadAttention):
            continue
        stack, _, layer, role = name.split(".")
        losses, size = [], D_MODEL // HEADS
        weight = part.out_proj.weight
        whole = weight.detach().clone()
        for head in range(HEADS):
            with torch.no_grad():
                weight[:, head * size:(head + 1) * size] = 0  # what reads the head's output
                losses.append(loss().item())
                weight.copy_(whole)
        key = f"ablation.{stack}.{layer}.{'cross' if role == 'multihead_attn' else 'self'}"
        out[key] = torch.tensor(losses, dtype=torch.float64)
    return out


def padded(sequences):
    width = max(map(len, sequences))
    ids = torch.tensor([s + [END] * (width - len(s)) for s in sequences])
    lengths = torch.tensor([len(s) for s in sequences])
    return ids, torch.arange(width)[None] >= lengths[:, None]


def packed(sequences):
    return torch.tensor(sum(sequences, []), dtype=torch.int32)


def offsets(sequences):
    return torch.tensor([0, *np.cumsum([len(s) for s in sequences])], dtype=torch.int32)


def golden(pre_norm, tied, rms):
    torch.manual_seed(20170612)
    model = Seq2Seq(pre_norm, tied, rms).double()  # created in float: exact in the file
    sources = [[i % TRG_VOCAB for i in s] for s in SRC] if tied else SRC
    shifted = [[END] + s[:-1] for s in TRG]
    inputs = (*padded(sources), *padded(shifted))
    labels = packed(TRG).long()

    attentions = Attentions(model)
    tensors = {name: t.clone() for name, t in marian_tensors(model, lambda p: p.detach()).items()}
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for update in range(11):
        logits = model(*inputs)
        loss = F.cross_entropy(logits, labels, label_smoothing=SMOOTHING)
        losses.append(loss.item())
        adam.zero_grad()
        loss.backward()
        if update == 0:
            tensors |= ablation(model, lambda: F.cross_entropy(
                model(*inputs), labels, label_smoothing=SMOOTHING))
            gradients = marian_tensors(model, lambda p: p.grad.clone())
            tensors |= {"grad." + name: t for name, t in gradients.items()}
            tensors["logits"] = logits.detach()
            tensors |= attentions.tensors([len(s) for s in SRC], [len(s) for s in TRG])
        adam.step()

    tensors["losses"] = torch.tensor(losses, dtype=torch.float64)
    tensors = {name: t.float() for name, t in tensors.items()}
    tensors |= {"input.src": packed(sources), "input.src_offsets": offsets(sources),
                "input.trg_in": packed(shifted), "input.trg_out": packed(TRG),
                "input.trg_offsets": offsets(TRG)}
    return {name: t.contiguous().numpy() for name, t in tensors.items()}, losses


def main():
    here = pathlib.Path(__file__).resolve()
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parents[2] / "tests/golden"
    for name, pre_norm, tied, rms in (("post", False, False, False), ("pre", True, False, False),
                                      ("tied", False, True, False), ("rms", True, False, True)):
        tensors, losses = golden(pre_norm, tied, rms)
        path = folder / f"seq2seq_{name}.safetensors"
        save_file(tensors, path, {"torch": torch.__version__.split("+")[0]})
        print(f"{path.name}: {len(tensors)} tensors, loss {losses[0]:.6f} to {losses[-1]:.6f}")


if __name__ == "__main__":
    main()
