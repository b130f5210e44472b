"""Golden weights of optimisers, from PyTorch's torch.optim.

    python3 tools/golden/optimizers.py [folder, tests/golden by default]

Writes optimizers.json. "weights" [6] are those before the first update, "gradients" [10][6] those
of ten updates. "cases" are by name the options of Weft, and "weights" [6] after the updates. The
last three weights are a bias: where it does not decay, or learns at another rate, it is a parameter
group of its own in PyTorch. Computed in double from numbers rounded to float.
"""

import json
import pathlib
import sys

import torch

UPDATES, RATE = 10, 0.05
CASES = {
    "adam": ("--optimizer adam --optimizer-params 0.9 0.98 1e-9", torch.optim.Adam,
             {"betas": (0.9, 0.98), "eps": 1e-9}, {}),
    "adamw": ("--optimizer adamw --optimizer-params 0.8 0.95 1e-6 --weight-decay 0.1",
              torch.optim.AdamW, {"betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1},
              {"weight_decay": 0}),
    "adamw of all": ("--optimizer adamw --weight-decay 0.1 --weight-decay-on all",
                     torch.optim.AdamW, {"betas": (0.9, 0.98), "eps": 1e-9, "weight_decay": 0.1},
                     {}),
    "sgd": ("--optimizer sgd --momentum 0", torch.optim.SGD, {}, {}),
    "momentum": ("--optimizer sgd --momentum 0.9 --learn-rate-factors *bias=0.1", torch.optim.SGD,
                 {"momentum": 0.9}, {"lr": 0.1 * RATE}),
    "nesterov": ("--optimizer sgd --momentum 0.8 --nesterov", torch.optim.SGD,
                 {"momentum": 0.8, "nesterov": True}, {}),
}


def updated(kind, options, of_bias, start, gradients):
    """The weights after all updates."""
    matrix, bias = (torch.nn.Parameter(part.clone()) for part in (start[:3], start[3:]))
    optimizer = kind([{"params": [matrix]}, {"params": [bias], **of_bias}], lr=RATE, **options)
    for gradient in gradients:
        matrix.grad, bias.grad = gradient[:3].clone(), gradient[3:].clone()
        optimizer.step()
    return torch.cat([matrix, bias]).tolist()


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    draw = torch.Generator().manual_seed(1)
    start = torch.randn(6, generator=draw).double()
    gradients = torch.randn(UPDATES, 6, generator=draw).double()
    cases = {name: {"options": options, "weights": updated(kind, by, of_bias, start, gradients)}
             for name, (options, kind, by, of_bias) in CASES.items()}
    text = json.dumps({"learn_rate": RATE, "weights": start.tolist(),
                       "gradients": gradients.tolist(), "cases": cases}, indent=1)
    (folder / "optimizers.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
