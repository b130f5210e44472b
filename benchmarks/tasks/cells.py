"""Cells of speed: trainings and translations of steady length, of both shapes and all precisions,
that a program of Weft runs by itself. Shared by the experiments that compare speeds of Weft with
speeds of Weft."""

import json
import pathlib

from side_by_side import multi30k, read_text, run, steady, train

UPDATES = {"tiny": 45, "base": 16}  # the first 12 are warm-up, not measured
LENGTH = 32
DECODING = {  # batch, beam, lines
    "batch 32, beam 4": (32, 4, 128), "batch 32, beam 1": (32, 1, 128),
    "batch 1, beam 4": (1, 4, 16), "batch 1, beam 1": (1, 1, 16)}


def training_cells(options, weft):
    """Of each cell, a function that returns (target tokens/s, peak memory in MiB)."""
    def measured(shape, precision):
        training = train(weft, [*multi30k(options.data, shape), "--precision", precision,
                                *steady(UPDATES[shape], 4096, options.threads)])
        return round(training.speed(), 1), round(training.peak_mb, 1)
    return {f"training, {shape}, {precision}": lambda s=shape, p=precision: measured(s, p)
            for shape in options.shapes for precision in ("bfloat16", "float32")}


def make_models(options, folder, weft):
    """Writes a nearly untrained model of each shape and precision, and the lines to translate."""
    for shape in options.shapes:
        data = [o.replace("{}", folder) for o in multi30k(options.data, shape)]
        data[data.index("-m") + 1] = f"{folder}/{shape}"
        run([weft, "train", *data, "--after", "1u", "--mini-batch-words", "64",
             "--overwrite", "--quiet"])
        for precision in ("int8", "bfloat16"):
            run([weft, "quantize", "-m", f"{folder}/{shape}", "-o",
                 f"{folder}/{shape}.{precision}", "--precision", precision, "--quiet"])
    lines = read_text(f"{options.data}/train.en.gz").splitlines()
    for name, (_, _, count) in DECODING.items():
        pathlib.Path(folder, name).write_text("\n".join(lines[:count]) + "\n", encoding="utf8")


def decoding_cells(options, weft, folder, precisions, names):
    """Of each cell, a function that returns (output tokens/s, peak memory in MiB)."""
    def measured(shape, precision, name):
        batch, beam, _ = DECODING[name]
        model = f"{folder}/{shape}" + ("" if precision == "float32" else f".{precision}")
        out = f"{folder}/out.json"
        run([weft, "bench", "decode", "-m", model, "-i", f"{folder}/{name}",
             "--mini-batch", str(batch), "--beam-size", str(beam), "--min-length", str(LENGTH),
             "--max-output-length", str(LENGTH + 1), "--allow-unk", "--repeats", "5",
             "--threads", str(options.threads), "--json", out, "--quiet"])
        result = json.loads(pathlib.Path(out).read_text())
        return (round(result["tokens_per_s"]["median"], 1),
                round(result["memory_mb"]["peak"] * 1e6 / 2**20, 1))
    return {f"translation, {shape}, {precision}, {name}":
            lambda s=shape, p=precision, n=name: measured(s, p, n)
            for shape in options.shapes for precision in precisions for name in names}
