"""Golden numbers of recurrent layers, from PyTorch's nn.RNN, nn.GRU and nn.LSTM and their cells.

    python3 tools/golden/recurrent.py [folder, tests/golden by default]

Writes recurrent.safetensors. For each cell (tanh, relu, gru, lstm), under "<cell>.": the weights by
PyTorch's names; "initial" [B, S], the initial states of sentences (for an LSTM, output and
memory concatenated); "outputs" [N, D]; "last" [B, S], the final states of sentences;
and under "grad.<name>" the gradient of sum(outputs * weights_of_outputs) + sum(last *
weights_of_last). Under "both.", the weights and outputs [N, 2*D] of a bidirectional LSTM.
"x" [N, D_in] and "offsets" are the packed sentences, shared by all.

Under "decoder.<case>.", a decoder of nn.LSTMCell or nn.GRUCell steps by the equations of
docs/models.md: its parameters by Weft's names; the inputs "x" [N, D], the source states
"memory" [M, C] if it attends, and "last.<l>" [B, S], the final states of the encoder layers;
"outputs" [N, D], and under "grad.<name>" the gradient of sum(outputs * weights_of_outputs).
"decoder.target_offsets" and "decoder.source_offsets" are the packed sentences. Computed in double
from values rounded to float.
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
# Decoders: D, C and the input size of a bridge differ, so that none can be confused with another;
# the shorter target comes first, and some layers have no corresponding encoder layer.
FEATURES, MEMORY, LAST = 4, 6, 5
TARGETS, SOURCES = [3, 5], [4, 2]
DECODERS = {"copied": {"cell": nn.LSTMCell, "depth": 3},
            "bahdanau": {"cell": nn.GRUCell, "depth": 2, "attention": "bahdanau"},
            "luong": {"cell": nn.LSTMCell, "depth": 1, "attention": "luong"},
            "feeding": {"cell": nn.GRUCell, "depth": 2, "attention": "luong", "feeds": True}}


def random(*shape):
    return torch.randn(*shape).double().requires_grad_()


def run(module, x, initial):
    """The packed outputs of all sentences, and their final states."""
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


class Decoder(nn.Module):
    """The initial state is a copy of the encoder's without attention, else computed by a bridge."""

    def __init__(self, cell, depth, attention=None, feeds=False):
        super().__init__()
        self.kind, self.feeds = attention, feeds
        beside = MEMORY if attention == "bahdanau" else FEATURES if feeds else 0
        self.layers = nn.ModuleList(cell(FEATURES + (0 if layer else beside), FEATURES)
                                    for layer in range(depth))
        self.has_memory = cell is nn.LSTMCell
        if attention is None:
            return
        self.start = nn.ModuleList(nn.Linear(LAST, FEATURES) for _ in range(depth))
        self.attention = nn.Module()
        if attention == "bahdanau":
            self.attention.query = nn.Linear(FEATURES, FEATURES, bias=False)
            self.attention.key = nn.Linear(MEMORY, FEATURES)
            self.attention.score = nn.Parameter(torch.randn(1, FEATURES))
        else:
            self.attention.query = nn.Linear(FEATURES, MEMORY, bias=False)
        inputs = FEATURES if attention == "bahdanau" else 0
        self.readout = nn.Linear(FEATURES + MEMORY + inputs, FEATURES)

    def start_of(self, layer, last):
        """The initial output and, for an LSTM, the initial memory."""
        if self.kind is None:
            return last[min(layer, len(last) - 1)].split(FEATURES)
        output = torch.tanh(self.start[layer](last[-1]))
        return (output, torch.zeros_like(output)) if self.has_memory else (output,)

    def context(self, state, memory):
        a = self.attention
        if self.kind == "bahdanau":
            scores = torch.tanh(a.query(state) + a.key(memory)) @ a.score[0]
        else:
            scores = memory @ a.query(state)
        return torch.softmax(scores, 0) @ memory

    def forward(self, x, memory, last):
        """Outputs [T, D] of one sentence [T, D] with its memory [S, C]."""
        states = [self.start_of(layer, last) for layer in range(len(self.layers))]
        outputs, out = [], torch.zeros_like(x[0])
        for x_t in x:
            y, c_t = x_t, None
            if self.kind == "bahdanau":
                c_t = self.context(states[0][0], memory)
                y = torch.cat([x_t, c_t])
            if self.feeds:
                y = torch.cat([x_t, out])
            for layer, cell in enumerate(self.layers):
                new = cell(y, states[layer] if self.has_memory else states[layer][0])
                states[layer] = new if self.has_memory else (new,)
                y = states[layer][0]
            out = y
            if self.kind == "bahdanau":
                out = torch.tanh(self.readout(torch.cat([y, c_t, x_t])))
            if self.kind == "luong":
                out = torch.tanh(self.readout(torch.cat([y, self.context(y, memory)])))
            outputs.append(out)
        return torch.stack(outputs)

    def named_values(self, value):
        """value(parameter) by Weft's names. The weights of the first cell for inputs other than x_t
        are a separate matrix."""
        for name, p in self.named_parameters():
            value = of(p)
            if name == "layers.0.weight_ih" and value.shape[1] > FEATURES:
                what = "feed" if self.feeds else "input"
                yield f"attention.{what}.weight", value[:, FEATURES:]
                value = value[:, :FEATURES]
            yield name, value


def decode(name):
    """The golden numbers of one case of DECODERS."""
    decoder = Decoder(**DECODERS[name]).double()
    size = 2 * FEATURES if name == "copied" else LAST
    inputs = {"x": random(sum(TARGETS), FEATURES), "last.0": random(len(TARGETS), size),
              "last.1": random(len(TARGETS), size)}
    if decoder.kind is not None:
        inputs["memory"] = random(sum(SOURCES), MEMORY)
    sentences = inputs["x"].split(TARGETS)
    memories = inputs["memory"].split(SOURCES) if "memory" in inputs else [None] * len(TARGETS)
    ends = zip(inputs["last.0"], inputs["last.1"])
    outputs = torch.cat([decoder(*all_of) for all_of in zip(sentences, memories, ends)])
    weights = torch.randn(outputs.shape).double()
    (outputs * weights).sum().backward()
    # A bridge reads only the last layer's state.
    gradients = {key: torch.zeros_like(x) if x.grad is None else x.grad
                 for key, x in inputs.items()} | dict(decoder.named_values(lambda p: p.grad))
    found = inputs | dict(decoder.named_values(lambda p: p))
    found |= {"outputs": outputs, "weights_of_outputs": weights}
    found |= {f"grad.{key}": value for key, value in gradients.items()}
    return {f"decoder.{name}.{key}": value for key, value in found.items()}


def offsets_of(lengths):
    return torch.tensor([0, *torch.tensor(lengths).cumsum(0)]).int()


def main():
    here = pathlib.Path(__file__).resolve()
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parents[2] / "tests/golden"
    torch.manual_seed(19970815)
    x = random(sum(LENGTHS), IN)
    tensors = {"x": x, "offsets": offsets_of(LENGTHS)}
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
    for name in DECODERS:
        tensors |= decode(name)
    tensors |= {f"decoder.{side}_offsets": offsets_of(lengths)
                for side, lengths in (("target", TARGETS), ("source", SOURCES))}
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
