#!/usr/bin/env python3
"""Compares decoding of trained models on real text with CTranslate2: lines per second in int8.

    python3 benchmarks/tasks/decoding/real_lines.py --python PYTHON \\
        --text multi30k MODEL FILE [--text descriptions MODEL FILE]

Batches of 32, beam 4. CTranslate2 and Weft run in turns; medians are compared. MODEL is a model
file of Weft, FILE plain text or .gz. PYTHON has ctranslate2, safetensors and sentencepiece;
tokenisation is included in Weft's time and not in CTranslate2's. Prints one JSON object, which is
also written to benchmarks/results, and one line per text.
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, preloading, read_text, report, run  # noqa: E402

GOAL, BATCH, BEAM = 2.5, 32, 4
PEER = str(pathlib.Path(__file__).with_name("ct2_peer.py"))


def compare(options, name, model, path):
    text = read_text(path)
    count = len(text.splitlines())
    runs = {"ctranslate2": [], "ctranslate2 tcmalloc": [], "weft": []}
    memory = {}
    with tempfile.TemporaryDirectory() as folder:
        lines, out = pathlib.Path(folder, "lines"), pathlib.Path(folder, "out.json")
        lines.write_text(text, encoding="utf8")
        run([options.python, PEER, "convert", model, f"{folder}/ct2", "int8"])
        run([options.weft, "quantize", "-m", model, "-o", f"{folder}/int8", "--quiet"])
        for _ in range(options.rounds):
            for kind in ("ctranslate2", "ctranslate2 tcmalloc"):
                tuned = kind.endswith("tcmalloc")
                env = preloading(options.tcmalloc) if tuned else None
                result = json.loads(run([options.python, PEER, "translate", f"{folder}/ct2", "int8",
                                         str(BATCH), str(BEAM), str(options.threads), "2"],
                                        input=text, env=env).splitlines()[-1])
                runs[kind].append(round(count / result["seconds"][0], 2))
                memory[kind] = round(result["peak_mb"])
                peer = result["system"]
            run([options.weft, "bench", "decode", "-m", f"{folder}/int8", "-i", str(lines),
                 "--mini-batch", str(BATCH), "--beam-size", str(BEAM), "--normalize", "1",
                 "--threads", str(options.threads), "--repeats", "2", "--json", str(out),
                 "--quiet"])
            result = json.loads(out.read_text())
            runs["weft"].append(round(result["lines_per_s"]["best"], 2))
            memory["weft"] = round(result["memory_mb"]["peak"] * 1e6 / 2**20)
    speed = {kind: statistics.median(values) for kind, values in runs.items()}
    ratio = speed["weft"] / max(v for kind, v in speed.items() if kind != "weft")
    return {"text": name, "peer": peer, "lines": count, "lines_per_s": runs, "peak_mb": memory,
            "ratio": round(ratio, 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", nargs=3, action="append", required=True,
                        metavar=("NAME", "MODEL", "FILE"))
    parser.add_argument("--python", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    texts = [compare(options, *text) for text in options.text]
    report("decoding_real_lines", {"batch": BATCH, "beam": BEAM, "threads": options.threads,
                                   "texts": texts},
           [(t["text"], t["ratio"], GOAL) for t in texts])


if __name__ == "__main__":
    main()
