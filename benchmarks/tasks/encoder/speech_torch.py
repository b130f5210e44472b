#!/usr/bin/env python3
"""Speed of a transcriber of speech with PyTorch, for speed.py.

    python speech_torch.py --lengths FILE [--dtype f32|bf16] [--predict f32|bf16|int8]

FILE has a line for each sound: its seconds, a tab, and the letters that are spoken in it. The
features are random, 80 numbers every 10 ms. The model is Transformers' Speech2Text encoder: two
convolutions of stride 2 with gated linear units, and a Transformer encoder of 4 layers, D 128,
4 heads, F 512; an output layer is trained with CTC. A batch has sounds of similar length, padded.
Prints a JSON line: seconds of sound a second in training, the optimiser step included, and in
prediction, the best label of each frame included; medians over batches.
"""

import argparse
import json
import pathlib
import random
import resource
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

LAYERS, WIDTH, HEADS, INNER, DROPOUT = 4, 128, 4, 512, 0.1
CHANNELS, TAPS, MEL, LETTERS = 256, 5, 80, 20
FRAMES_A_SECOND = 100


class Transcriber(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolutions = nn.ModuleList([
            nn.Conv1d(MEL, 2 * CHANNELS, TAPS, stride=2, padding=TAPS // 2),
            nn.Conv1d(CHANNELS, 2 * WIDTH, TAPS, stride=2, padding=TAPS // 2)])
        self.positions = nn.Parameter(torch.randn(1024, WIDTH) * 0.02)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, DROPOUT, F.gelu, batch_first=True,
                                           norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.output = nn.Linear(WIDTH, LETTERS + 1)

    def forward(self, features, lengths):
        """Scores [B, T, LETTERS + 1] of features [B, 4 * T, MEL], and the valid rows of each."""
        x = features.transpose(1, 2)
        for convolution in self.convolutions:
            x = F.glu(convolution(x), dim=1)
            lengths = (lengths - 1) // 2 + 1
        x = x.transpose(1, 2) + self.positions[: x.shape[2]]
        padding = torch.arange(x.shape[1])[None] >= lengths[:, None]
        return self.output(self.encoder(x, src_key_padding_mask=padding)), lengths


def batches(path, size):
    """Features, their lengths, letters, their numbers, and seconds of each batch."""
    lines = [line.split("\t") for line in pathlib.Path(path).read_text().splitlines()]
    rows = sorted((round(float(s) * FRAMES_A_SECOND), int(n)) for s, n in lines)
    out = []
    for begin in range(0, len(rows) - size + 1, size):
        part = rows[begin:begin + size]
        frames = torch.tensor([f for f, _ in part])
        letters = torch.tensor([n for _, n in part])
        out.append((torch.randn(size, int(frames.max()), MEL), frames,
                    torch.randint(1, LETTERS + 1, (size, int(letters.max()))), letters,
                    frames.sum().item() / FRAMES_A_SECOND))
    random.Random(1).shuffle(out)
    return out


def training_speeds(model, data, options):
    optimizer = torch.optim.AdamW(model.parameters(), 5e-4, fused=True)
    speeds = []
    for step in range(options.updates):
        features, frames, letters, counts, seconds = data[step % len(data)]
        begin = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, enabled=options.dtype == "bf16"):
            scores, rows = model(features, frames)
        log_probabilities = F.log_softmax(scores.float(), -1).transpose(0, 1)
        loss = F.ctc_loss(log_probabilities, letters, rows, counts, zero_infinity=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        speeds.append(seconds / (time.perf_counter() - begin))
    return speeds[4:]


def prediction_speeds(model, data, options):
    model.eval()
    if options.predict == "int8":
        torch.backends.mha.set_fastpath_enabled(False)  # it reads the weights of the plain layers
        model = torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, torch.qint8)
    speeds = []
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16,
                                                enabled=options.predict == "bf16"):
        for step in range(options.updates):
            features, frames, _, _, seconds = data[step % len(data)]
            begin = time.perf_counter()
            model(features, frames)[0].argmax(-1)
            speeds.append(seconds / (time.perf_counter() - begin))
    return speeds[4:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", required=True)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--predict", choices=["f32", "bf16", "int8"], default="f32")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    data = batches(options.lengths, options.batch)
    model = Transcriber()
    trained = training_speeds(model, data, options)
    predicted = prediction_speeds(model, data, options)
    print(json.dumps({"system": f"torch {torch.__version__}",
                      "train_per_s_median": round(statistics.median(trained), 1),
                      "predict_per_s_median": round(statistics.median(predicted), 1),
                      "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
