#!/usr/bin/env python3
"""Golden numbers of a small Vision Transformer, from Transformers' ViTForImageClassification.

    python3 tools/golden/vit.py

Writes tests/golden/vit.safetensors: the weights by Weft's names, pictures "pixels" [B, height *
width * channels], "labels" [B], "logits" [B, labels], the mean "loss", and under "grad.<name>" its
gradients. Requires torch, transformers and safetensors; computed in double from weights rounded to
float. The tests only read the file.
"""
import pathlib

import torch
from safetensors.torch import save_file
from transformers import ViTConfig, ViTForImageClassification

SIZE, PATCH, CHANNELS, LABELS, EXAMPLES = (4, 6), 2, 3, 5, 3
LAYERS = [("self_attn_layer_norm", "layernorm_before"), ("final_layer_norm", "layernorm_after"),
          ("self_attn.q_proj", "attention.q_proj"), ("self_attn.k_proj", "attention.k_proj"),
          ("self_attn.v_proj", "attention.v_proj"), ("self_attn.out_proj", "attention.o_proj"),
          ("fc1", "mlp.fc1"), ("fc2", "mlp.fc2")]


def names(model):
    """Pairs of Weft's name and the parameter of Transformers."""
    parameters = dict(model.named_parameters())
    pairs = [("classifier.weight", "classifier.weight"), ("classifier.bias", "classifier.bias"),
             ("model.encoder.embed_vectors.weight",
              "vit.embeddings.patch_embeddings.projection.weight"),
             ("model.encoder.embed_vectors.bias",
              "vit.embeddings.patch_embeddings.projection.bias"),
             ("model.encoder.class_token", "vit.embeddings.cls_token"),
             ("model.encoder.embed_positions.weight", "vit.embeddings.position_embeddings"),
             ("model.encoder.layer_norm.weight", "vit.layernorm.weight"),
             ("model.encoder.layer_norm.bias", "vit.layernorm.bias")]
    for layer in range(model.config.num_hidden_layers):
        for ours, theirs in LAYERS:
            pairs += [(f"model.encoder.layers.{layer}.{ours}.{part}",
                       f"vit.layers.{layer}.{theirs}.{part}") for part in ("weight", "bias")]
    assert sorted(theirs for _, theirs in pairs) == sorted(parameters), sorted(parameters)
    return [(ours, parameters[theirs]) for ours, theirs in pairs]


def as_matrix(tensor):
    """Vectors are rows; of a convolution each filter is a row; a leading 1 is left out."""
    if tensor.dim() == 1:
        return tensor[None]
    return tensor.flatten(1) if tensor.dim() == 4 else tensor.reshape(-1, tensor.shape[-1])


def main():
    torch.manual_seed(1)
    model = ViTForImageClassification(ViTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        image_size=SIZE, patch_size=PATCH, num_channels=CHANNELS, num_labels=LABELS,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
    for parameter in model.parameters():  # values of 0 and 1 would hide errors
        parameter.data += 0.2 * torch.randn_like(parameter)
    model = model.double().train()
    pixels = torch.randn(EXAMPLES, CHANNELS, *SIZE).double()
    labels = torch.tensor([4, 0, 2])
    out = model(pixel_values=pixels, labels=labels)
    out.loss.backward()
    tensors = {"pixels": pixels.permute(0, 2, 3, 1).flatten(1).float(), "labels": labels.int(),
               "logits": out.logits.float(), "loss": out.loss.reshape(1, 1).float()}
    for name, parameter in names(model):
        tensors[name] = as_matrix(parameter.data).float()
        tensors["grad." + name] = as_matrix(parameter.grad).float()
    target = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "vit.safetensors"
    save_file({name: t.detach().contiguous() for name, t in tensors.items()}, target)


if __name__ == "__main__":
    main()
