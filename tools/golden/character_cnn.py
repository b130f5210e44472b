"""Golden numbers of words from their characters, from PyTorch's nn.Embedding and nn.Conv1d.

    python3 tools/golden/character_cnn.py [folder, tests/golden by default]

Writes character_cnn.safetensors: the "ids" of characters [M] with an end symbol 0 behind each word;
the parameters by their names in a model file, windows of nn.Conv1d in the order of a sentence, the
embedding divided by sqrt(Dc), by which the model multiplies it; "words" [W, D], what is added to
each word; "weights" [W, D], and under "grad.<name>" the gradient of sum(words * weights). Computed
in double from numbers rounded to float.
"""

import pathlib
import sys

import torch
from safetensors.numpy import save_file
from torch import nn

CHARACTERS, SIZE, FILTERS, WIDTHS, FEATURES = 9, 4, 3, (3, 5), 6
WORDS = [[2, 3, 4, 0], [2, 0], [2, 5, 6, 7, 8, 5, 0]]


def words_of(embedding, convolutions, out):
    rows = []
    for word in WORDS:
        x = embedding(torch.tensor(word)).T[None]
        rows.append(torch.cat([conv(x).amax(2) for conv in convolutions], 1).relu())
    return out(torch.cat(rows))


def by_name(embedding, convolutions, out):
    """Each parameter's name, itself, and its layout in a model file."""
    yield "embed_tokens.weight", embedding.weight, lambda x, power=0.5: x / SIZE ** power
    for n, conv in enumerate(convolutions):
        yield f"convolutions.{n}.weight", conv.weight, lambda x: x.movedim(1, -1).flatten(1)
        yield f"convolutions.{n}.bias", conv.bias, lambda x: x[None]
    yield "out_proj.weight", out.weight, lambda x: x
    yield "out_proj.bias", out.bias, lambda x: x[None]


def main():
    here = pathlib.Path(__file__).resolve()
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parents[2] / "tests/golden"
    torch.manual_seed(20160304)
    embedding = nn.Embedding(CHARACTERS, SIZE).double()
    convolutions = [nn.Conv1d(SIZE, FILTERS, width, padding=width // 2).double()
                    for width in WIDTHS]
    out = nn.Linear(FILTERS * len(WIDTHS), FEATURES).double()
    words = words_of(embedding, convolutions, out)
    weights = torch.randn(words.shape).double()
    (words * weights).sum().backward()
    tensors = {"ids": torch.tensor(sum(WORDS, [])).int(), "words": words, "weights": weights}
    for name, parameter, layout in by_name(embedding, convolutions, out):
        tensors[name] = layout(parameter)
        is_table = name.startswith("embed")
        tensors["grad." + name] = layout(parameter.grad, -0.5) if is_table else layout(
            parameter.grad)
    arrays = {}
    for name, value in tensors.items():
        value = value.detach()
        value = value.float() if value.is_floating_point() else value
        arrays[name] = value.contiguous().numpy()
    save_file(arrays, folder / "character_cnn.safetensors",
              {"torch": torch.__version__.split("+")[0]})
    print(f"character_cnn.safetensors: {len(arrays)} tensors")


if __name__ == "__main__":
    main()
