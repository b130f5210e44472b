"""Golden numbers of recurrent layers, from PyTorch's nn.RNN, nn.GRU and nn.LSTM.

    python3 tools/golden/recurrent.py [folder, tests/golden by default]

Writes recurrent.safetensors. For each cell (tanh, relu, gru, lstm), under "<cell>.": the weights by
PyTorch's names; "initial" [B, S], the states that sentences start from (of the LSTM output and
memory beside each other); "outputs" [N, D]; "last" [B, S], the states behind the sentences' ends;
and under "grad.<name>" the gradient of sum(outputs * weights_of_outputs) + sum(last *
weights_of_last). Under "both.", the weights and outputs [N, 2*D] of an LSTM that reads both ways.
"x" [N, D_in] and "offsets" are the packed sentences, the same for all. Computed in double from
numbers rounded to float.
"""

import pathlib
import sys

import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

IN, UNITS = 5, 4
LENGTHS = [3, 1, 6, 3]
MODULES = {"tanh": lambda **o: nn.RNN(IN, UNITS, nonlinearity="tanh", **o),
           "relu": lambda **o: nn.RNN(IN, UNITS, nonlinearity="relu", **o),
           "gru": lambda **o: nn.GRU(IN, UNITS, **o),
           "lstm": lambda **o: nn.LSTM(IN, UNITS, **o)}


def random(*shape):
    return torch.randn(*shape).double().requires_grad_()


def run(module, x, initial):
    """Outputs of all sentences, packed, and the states behind their ends."""
    padded = pad_sequence(list(x.split(LENGTHS)), batch_first=True)
    batch = pack_padded_sequence(padded, LENGTHS, batch_first=True, enforce_sorted=False)
    if initial is not None:
        parts = [part.contiguous()[None] for part in initial.split(UNITS, 1)]
        initial = tuple(parts) if len(parts) == 2 else parts[0]
    outputs, last = module(batch, initial)
    outputs, _ = pad_packed_sequence(outputs, batch_first=True)
    packed = torch.cat([row[:length] for row, length in zip(outputs, LENGTHS)])
    last = torch.cat([part[0] for part in last], 1) if isinstance(last, tuple) else last[0]
    return packed, last


def main():
    here = pathlib.Path(__file__).resolve()
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parents[2] / "tests/golden"
    torch.manual_seed(19970815)
    x = random(sum(LENGTHS), IN)
    tensors = {"x": x, "offsets": torch.tensor([0, *torch.tensor(LENGTHS).cumsum(0)]).int()}
    for name, make in MODULES.items():
        module = make(batch_first=True).double()
        initial = random(len(LENGTHS), UNITS * (2 if name == "lstm" else 1))
        outputs, last = run(module, x, initial)
        weights = {"outputs": torch.randn(outputs.shape).double(),
                   "last": torch.randn(last.shape).double()}
        x.grad = None
        ((outputs * weights["outputs"]).sum() + (last * weights["last"]).sum()).backward()
        own = {key.removesuffix("_l0"): p for key, p in module.named_parameters()}
        followed = own | {"x": x, "initial": initial}
        found = own | {"initial": initial, "outputs": outputs, "last": last}
        found |= {f"weights_of_{key}": value for key, value in weights.items()}
        found |= {f"grad.{key}": value.grad.clone() for key, value in followed.items()}
        tensors |= {f"{name}.{key}": value for key, value in found.items()}
    both = MODULES["lstm"](batch_first=True, bidirectional=True).double()
    tensors |= {f"both.{key}": p for key, p in both.named_parameters()}
    tensors["both.outputs"] = run(both, x, None)[0]
    arrays = {}
    for key, value in tensors.items():
        value = value.detach()
        value = value.float() if value.is_floating_point() else value
        value = value[None] if "bias" in key else value  # [1, G*D]
        arrays[key] = value.contiguous().numpy()
    save_file(arrays, folder / "recurrent.safetensors", {"torch": torch.__version__.split("+")[0]})
    print(f"recurrent.safetensors: {len(arrays)} tensors")


if __name__ == "__main__":
    main()
