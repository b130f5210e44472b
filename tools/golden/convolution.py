"""Golden numbers of the convolutional encoder, from PyTorch's nn.Conv1d and glu.

    python3 tools/golden/convolution.py [folder, tests/golden by default]

Writes convolution.safetensors: "x" [N, D] and "offsets", the packed sentences; under "layers.<n>."
the "weight" [2*D, width*D] and "bias" [1, 2*D] of each nn.Conv1d, gates first, with the tokens of a
window concatenated; "states" [N, D] after the last layer and "last" [B, D], their means over
sentences; and under "grad.<name>" the gradient of sum(states * weights_of_states) + sum(last *
weights_of_last). Computed in double from values rounded to float.
"""

import pathlib
import sys

import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn import functional as F

FEATURES, WIDTH, DEPTH = 3, 5, 2
LENGTHS = [3, 1, 7]


def run(layers, x):
    for conv in layers:
        gated = [F.glu(conv(sentence.T[None]), dim=1)[0].T for sentence in x.split(LENGTHS)]
        x = (x + torch.cat(gated)) * 0.5 ** 0.5
    return x, torch.stack([sentence.mean(0) for sentence in x.split(LENGTHS)])


def in_order(parameter):
    """Reorders a parameter: glu's values, the first half of the outputs, follow the gates."""
    through, gates = parameter.chunk(2)
    both = torch.cat([gates, through])
    return both.movedim(1, -1).flatten(1) if both.dim() == 3 else both[None]


def main():
    here = pathlib.Path(__file__).resolve()
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parents[2] / "tests/golden"
    torch.manual_seed(20170508)
    x = torch.randn(sum(LENGTHS), FEATURES).double().requires_grad_()
    layers = [nn.Conv1d(FEATURES, 2 * FEATURES, WIDTH, padding=WIDTH // 2).double()
              for _ in range(DEPTH)]
    states, last = run(layers, x)
    weights = [torch.randn(y.shape).double() for y in (states, last)]
    ((states * weights[0]).sum() + (last * weights[1]).sum()).backward()
    tensors = {"x": x, "grad.x": x.grad, "states": states, "last": last,
               "offsets": torch.tensor([0, *torch.tensor(LENGTHS).cumsum(0)]).int(),
               "weights_of_states": weights[0], "weights_of_last": weights[1]}
    for n, conv in enumerate(layers):
        for name, parameter in conv.named_parameters():
            tensors[f"layers.{n}.{name}"] = in_order(parameter)
            tensors[f"grad.layers.{n}.{name}"] = in_order(parameter.grad)
    arrays = {}
    for name, value in tensors.items():
        value = value.detach()
        value = value.float() if value.is_floating_point() else value
        arrays[name] = value.contiguous().numpy()
    save_file(arrays, folder / "convolution.safetensors",
              {"torch": torch.__version__.split("+")[0]})
    print(f"convolution.safetensors: {len(arrays)} tensors")


if __name__ == "__main__":
    main()
