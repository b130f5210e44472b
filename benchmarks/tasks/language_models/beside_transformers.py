#!/usr/bin/env python3
"""Language models read from GGUF beside Transformers, which reads the same file, in float32.

    PYTHON benchmarks/tasks/language_models/beside_transformers.py --models MODELS --work FOLDER
        [NAME...]

PYTHON has torch, transformers, gguf and safetensors; MODELS is what scripts/fetch-models makes.
NAME is smollm2 or gemma3; both by default. Of each:

- logits of 8 texts: they may differ by 1e-3;
- perplexity of the first 100,000 tokens of tiny-shakespeare, in parts of 1,024: within 0.1 %;
- greedy continuations of 50 beginnings of captions of Multi30k, 200 tokens each: equal. Where one
  parts, it shows how far apart the two best logits are there.

Data are read from $WEFT_DATA. What Transformers computes is kept in FOLDER, so that an interrupted
run goes on. Prints one JSON object, which is also written to benchmarks/results/gguf_NAME.json.
"""

import argparse
import os
import pathlib
import sys

from peer import CHUNK, Peer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, ROOT, read_text, report, run  # noqa: E402

MODELS = {"smollm2": "SmolLM2-135M-Instruct.Q4_1.gguf", "gemma3": "gemma-3-270m-q4_k_m.gguf"}
PROMPTS, GREEDY, LOGIT_TEXTS = 50, 200, 8
DIFFERENCE, PERPLEXITY = 1e-3, 1e-3
DATA = pathlib.Path(os.environ.get("WEFT_DATA", ROOT.parent / "shared/data"))


def largest_difference(options, gguf, logits):
    """Of logits, as weft convert --check reports it, times the largest logit."""
    from safetensors.numpy import load_file
    out = run([options.weft, "convert", "--from-gguf", gguf, "--check", logits])
    return float(out.split(":")[1].split()[0]) * abs(load_file(logits)["logits"]).max().item()


def unescaped(line):
    """A line of weft generate as the text that it stands for."""
    out, rest = [], iter(line)
    for c in rest:
        out.append({"n": "\n", "r": "\r", "\\": "\\"}[next(rest)] if c == "\\" else c)
    return "".join(out)


def parting(peer, prompt, theirs, ours):
    """The first token after which the texts differ, and the gap of its two best logits."""
    for i in range(len(theirs["ids"])):
        text = peer.text_after(prompt, theirs["ids"][:i + 1])
        if not ours.startswith(text.rstrip("\N{REPLACEMENT CHARACTER}")):
            return {"token": i, "gap": theirs["gaps"][i]}
    return {"token": len(theirs["ids"]), "gap": None}


def greedy(options, peer, gguf, folder):
    lines = read_text(DATA / "multi30k/train.en.gz").splitlines()
    prompts = peer.prompts(lines, PROMPTS)
    theirs = peer.greedy(prompts, GREEDY)
    text = "".join(prompt["text"] + "\n" for prompt in prompts)
    out = run([options.weft, "generate", "-m", gguf, "--precision", "float32", "--temperature", "0",
               "--max-length", str(GREEDY)], input=text)
    ours = [unescaped(line) for line in out.split("\n")[:-1]]
    parted = [parting(peer, *each) for each in zip(prompts, theirs, ours)
              if each[1]["text"] != each[2]]
    (folder / "weft_greedy.txt").write_text(out)
    return {"prompts": len(prompts), "tokens": sum(len(one["ids"]) for one in theirs),
            "equal": len(prompts) - len(parted), "parted": parted}


def perplexities(options, peer, gguf, folder):
    text = peer.text_of(read_text(DATA / "tiny-shakespeare/input.txt.gz"), options.tokens)
    path = folder / "text"
    path.write_text(text)
    theirs = peer.perplexity(text)
    out = run([options.weft, "score", "-m", gguf, "-t", path, "--documents", "--precision",
               "float32", "--context", str(CHUNK), "--stride", str(CHUNK)])
    fields = out.rstrip("\n").split("\t")
    return {"transformers": theirs, "weft": {"perplexity": float(fields[1]),
                                             "tokens": int(fields[3])}}


def measure(options, name):
    gguf, folder = options.models / name / MODELS[name], options.work / name
    peer = Peer(gguf, folder, options.threads)
    lines = read_text(DATA / "multi30k/train.en.gz").splitlines()
    texts = [prompt["text"] for prompt in peer.prompts(lines, LOGIT_TEXTS)]
    result = {"model": MODELS[name],
              "logits": largest_difference(options, gguf, peer.logits(texts)),
              "greedy": greedy(options, peer, gguf, folder),
              "perplexity": perplexities(options, peer, gguf, folder)}
    ppl = result["perplexity"]
    ratio = abs(ppl["weft"]["perplexity"] / ppl["transformers"]["perplexity"] - 1)
    report(f"gguf_{name}", result,
           [(f"{name}, logits", result["logits"], -DIFFERENCE),
            (f"{name}, perplexity", ratio, -PERPLEXITY),
            (f"{name}, equal texts", result["greedy"]["equal"], PROMPTS)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(MODELS), help=", ".join(MODELS))
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=100_000, help="of the perplexity")
    options = parser.parse_args()
    for name in options.names:
        measure(options, name)


if __name__ == "__main__":
    main()
