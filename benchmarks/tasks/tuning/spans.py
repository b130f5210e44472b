#!/usr/bin/env python3
"""What span corruption gives: encoder-decoders that sum up package descriptions, with few pairs,
from nothing and from a model that has learnt from the descriptions alone.

    scripts/fetch-labels synopsis FOLDER
    python3 benchmarks/tasks/tuning/spans.py FOLDER [--model FILE] [--pretraining "--after 2e"]
                                             [--sets one-percent ten-percent] [--seeds 1 2 3]

FOLDER has train, valid and test in JSONL, "prompt" and "completion"; packages of one source are in
one part. --model is where the pretrained model is, or where it is written, once for all seeds,
with the options of --pretraining. A set is a hundredth, or a tenth, of the training pairs. The
model from nothing has the same size and vocabulary, and otherwise the preset for this number of
pairs. Extends benchmarks/results/tuning/spans.json by the sets and seeds that were asked for, with
medians over seeds: ROUGE-L of greedy texts for the test. Prints it, and a verdict for each set: the
gain over the model from nothing.
"""

import json
import pathlib
import shlex
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import run  # noqa: E402

SETS = {"one-percent": 100, "ten-percent": 10}  # the first of every n pairs
GOALS = {name: {"gain": 0.001} for name in SETS}
SUMMED = "\n\nSynopsis:"
PRETRAINING = "--preset small --after 2e --tied-embeddings-all --dim-vocabs 8000"
# The shape of the preset `small`.
SHAPE = ("--enc-depth 3 --dec-depth 3 --dim-emb 256 --transformer-heads 4 --transformer-dim-ffn "
         "512 --transformer-norm pre --tied-embeddings-all")


def pairs_of(folder, part):
    """The descriptions and synopses of a part, each one line."""
    out = []
    for line in (folder / f"{part}.jsonl").read_text(encoding="utf8").splitlines():
        example = json.loads(line)
        out.append([" ".join(text.split()) for text in (
            example["prompt"].removesuffix(SUMMED), example["completion"])])
    return out


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return path


def pretrained(options, text):
    """The minutes of the model that learns from descriptions; 0 where it is there."""
    vocabulary = options.model.with_suffix(".spm")
    if options.model.exists():
        if not vocabulary.exists():
            sys.exit(f"{vocabulary}: no such file; expected the vocabulary of {options.model}")
        return 0
    return seeds.train(options, 1, "span-corruption", "-t", text, "-v", vocabulary, "-m",
                       options.model, *shlex.split(options.pretraining))[0]


def measure(options, name, seed, folder):
    pairs = pairs_of(options.folder, "train")[::SETS[name]]
    files = [write(folder / f"{name}.{side}", [pair[i] for pair in pairs])
             for i, side in enumerate(("text", "synopsis"))]
    test = pairs_of(options.folder, "test")
    sources = write(folder / "test.text", [pair[0] for pair in test])
    references = write(folder / "test.synopsis", [pair[1] for pair in test])

    def trained(start, *more):
        model = folder / f"{start}.safetensors"
        minutes, _ = seeds.train(options, seed, "translation", "-t", *files, "-m", model,
                                 "--max-length", 1000, "--max-length-crop", "--overwrite", *more)
        texts = run([options.weft, "translate", "-m", model, "--threads", str(options.threads),
                     "--beam-size", "1", "-i", sources])
        found = json.loads(run([options.weft, "evaluate", "--metrics", "rougeL", "--json",
                                "--quiet", "-r", references, "-i",
                                write(folder / "texts", texts.splitlines())]))
        return round(found[0]["score"], 4), minutes

    vocabulary = str(options.model.with_suffix(".spm"))
    nothing, minutes = trained("nothing", "-v", vocabulary, vocabulary, *shlex.split(SHAPE))
    tuned, tuned_minutes = trained("tuned", "--from", options.model, *shlex.split(options.options))
    return {"from nothing": nothing, "from spans": tuned, "gain": round(tuned - nothing, 4),
            "minutes from nothing": minutes, "minutes from spans": tuned_minutes,
            "pairs": len(pairs)}


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("folder", type=pathlib.Path, help="with the descriptions")
    parser.add_argument("--model", type=pathlib.Path, default=pathlib.Path("spans.safetensors"))
    parser.add_argument("--pretraining", default=PRETRAINING, help="options of the pretraining")
    parser.add_argument("--options", default="", help="more options of the tuning")
    options = parser.parse_args()
    results = seeds.SeedResults("tuning/spans", SETS, options.threads)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        text = write(folder / "descriptions",
                     [pair[0] for pair in pairs_of(options.folder, "train")])
        minutes = pretrained(options, text)
        print(f"pretraining: {minutes} minutes", file=sys.stderr)
        facts = {"pretraining": options.pretraining, "options": options.options}
        for name in options.sets:
            for seed in options.seeds:
                results.add(name, seed, measure(options, name, seed, folder), facts)
    results.tell(GOALS)


if __name__ == "__main__":
    main()
