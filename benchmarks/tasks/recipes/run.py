#!/usr/bin/env python3
"""The recipes' trainings and figures, each the median of the seeds that were trained.

    python3 benchmarks/tasks/recipes/run.py [--data DIR] [--sets SET...] [--seeds N...]

DIR ($WEFT_DATA or ../shared/data) holds scan, g2p-french, cmudict and treebank as its README says.
Stories are generated; the text of spelling is fetched through apt into quickstart/descriptions.
Options and figures are those of recipes/. "minutes" is wall time; "processor_minutes" is the time
of all threads over their number, which other work on the machine disturbs less. A run that was
stopped goes on from quickstart/SET-SEED; the minutes are then those since, and the row says
"resumed". Extends benchmarks/results/recipes.json by the sets and seeds that were asked for. Prints
it, and a verdict for each goal.
"""

import argparse
import os
import pathlib
import resource
import shutil
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]),
                str(pathlib.Path(__file__).resolve().parents[3] / "recipes")]
import seeds  # noqa: E402
from side_by_side import ROOT  # noqa: E402

import commands  # noqa: E402
import parsing  # noqa: E402
import pronunciation  # noqa: E402
import spelling  # noqa: E402
import stories  # noqa: E402

# Of each set: the recipe and its name there, its folder in DIR (None: made or fetched), and for
# figures that have a goal the goal (of an error: negative) and a published figure.
SETS = {
    "commands-simple": (commands.Commands(), "simple", "scan",
                        {"exact match": (0.995, "Lake and Baroni 2018: 99.8 %")}),
    "commands-length": (commands.Commands(), "length", "scan", {}),
    "stories-one": (stories.Stories(), "one", None, {"answers right": (0.99, None)}),
    "stories-two": (stories.Stories(), "two", None, {"answers right": (0.95, None)}),
    "pronunciation-french": (pronunciation.Pronunciation(), "french", "g2p-french",
                             {"word error": (-0.0689, "SIGMORPHON 2020's Transformer: 6.89 %")}),
    "parsing-treebank": (parsing.Parsing(), "treebank", "treebank", {}),
    "spelling-descriptions": (spelling.Spelling(), "descriptions", None, {}),
    "pronunciation-cmudict": (pronunciation.Pronunciation(), "cmudict", "cmudict",
                              {"word error": (-0.206, "Transformer, 3 layers, D 256: 20.6 %")}),
}


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(options, name, seed):
    """The test figures, minutes and parameters of one training, whose folder is removed at the end.
    """
    recipe, kind, place, _ = SETS[name]
    folder = ROOT / "quickstart" / f"{name}-{seed}"
    chosen = argparse.Namespace(
        set=kind, file=None, data=options.data / place if place else None, folder=folder,
        subwords=0, weft=options.weft, threads=options.threads)
    is_resumed = (folder / "model.training.safetensors").is_file()
    examples = recipe.prepare(chosen)["test"]
    before = processor_seconds()
    minutes, parameters = seeds.train(options, seed, *recipe.train_arguments(chosen))
    spent = processor_seconds() - before
    figures = recipe.figures(examples, recipe.results([line for line, _ in examples], chosen))
    shutil.rmtree(folder)
    return {figure: round(value, 4) for figure, value in figures.items()} | {
        "minutes": minutes, "processor_minutes": round(spent / 60 / options.threads, 2),
        "parameters": parameters} | ({"resumed": True} if is_resumed else {})


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    options = parser.parse_args()
    results = seeds.SeedResults("recipes", SETS, options.threads)
    for name in options.sets:
        goals = SETS[name][3]
        facts = {"goals": {figure: goal for figure, (goal, _) in goals.items()},
                 "peers": {figure: peer for figure, (_, peer) in goals.items() if peer}}
        for seed in options.seeds:
            results.add(name, seed, measure(options, name, seed), facts)
    results.tell({name: {figure: goal for figure, (goal, _) in goals.items()}
                  for name, (*_, goals) in SETS.items()})


if __name__ == "__main__":
    main()
