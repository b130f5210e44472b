#!/usr/bin/env python3
"""Golden numbers of convolutions that shorten sequences, from Transformers' Speech2Text.

    python3 tools/golden/subsampler.py

Writes tests/golden/subsampler.safetensors: for two sequences "x.0" and "x.1" [N, 6] the outputs
"y.0" and "y.1" [M, 8], the weights "layers.0.weight" and so on as Weft has them (gates before what
they let through, the taps of a convolution one after the other), and under "grad.<name>" the
gradients of sum(y^2) / 2 of both. Requires torch, transformers and safetensors; computed in double
from weights rounded to float. The tests only read the file.
"""
import pathlib

import torch
from safetensors.torch import save_file
from transformers.models.speech_to_text.configuration_speech_to_text import Speech2TextConfig
from transformers.models.speech_to_text.modeling_speech_to_text import Conv1dSubsampler


def as_matrix(tensor):
    """A convolution [out, in, width] as [out, width * in], a bias [out] as [1, out], with the
    gates, which are the second half of the outputs, first."""
    if tensor.dim() == 3:
        tensor = tensor.permute(0, 2, 1).flatten(1)
    else:
        tensor = tensor[:, None]
    values, gates = tensor.chunk(2)
    swapped = torch.cat([gates, values])
    return swapped if swapped.shape[1] > 1 else swapped.T


def main():
    torch.manual_seed(1)
    model = Conv1dSubsampler(Speech2TextConfig(
        d_model=8, conv_channels=10, conv_kernel_sizes=(5, 3), num_conv_layers=2,
        input_feat_per_channel=6, input_channels=1))
    # One width for all layers, as Weft has.
    model.conv_layers[1] = torch.nn.Conv1d(5, 16, 5, stride=2, padding=2)
    model = model.double()
    for parameter in model.parameters():
        parameter.data = parameter.data.float().double()
    tensors, loss = {}, 0
    for i, length in enumerate((9, 6)):
        x = torch.randn(1, length, 6).float().double()
        y = model(x)
        loss = loss + (y * y).sum() / 2
        tensors[f"x.{i}"] = x[0].float()
        tensors[f"y.{i}"] = y[0].detach().float()
    loss.backward()
    for layer, convolution in enumerate(model.conv_layers):
        for name in ("weight", "bias"):
            parameter = getattr(convolution, name)
            tensors[f"layers.{layer}.{name}"] = as_matrix(parameter.data).float()
            tensors[f"grad.layers.{layer}.{name}"] = as_matrix(parameter.grad).float()
    target = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
    save_file({name: t.contiguous() for name, t in tensors.items()},
              target / "subsampler.safetensors")


if __name__ == "__main__":
    main()
