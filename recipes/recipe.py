"""What the recipes share: their command line, the files of examples, training, outputs, figures."""

import argparse
import gzip
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.dont_write_bytecode = True
from debian_text import PARTS, part_of, say, sentences, write_whole  # noqa: E402, F401

HELD_OUT = 5  # of 100 examples of a file, for validation, and as many for the test


class Missing(Exception):
    """Data that a recipe neither makes nor fetches, or that have another form."""


def lines_of(text):
    """The lines of a text: a line feed alone ends one, as for weft."""
    return text.removesuffix("\n").split("\n") if text else []


def read_lines(path):
    """The lines of a text file, plain or .gz."""
    if not path.is_file():
        raise Missing(f"no file {path}")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf8") as file:
        try:
            return lines_of(file.read())
        except UnicodeDecodeError as problem:
            raise Missing(f"{path}: not UTF-8 at byte {problem.start}") from problem


def read_columns(path, columns):
    """The tab-separated columns of each line of a file that is not empty, with single spaces
    between words."""
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        row = [" ".join(cell.split()) for cell in line.split("\t")]
        if line and (len(row) != columns or not all(row)):
            raise Missing(f"{path}:{number}: {len(row)} columns; expected {columns} that are not "
                          "empty, with tabs between them")
        rows += [row] if line else []
    return rows


def divided(examples):
    """{part: its examples}: an example belongs to a part by the checksum of its source text."""
    parts = {part: [] for part in PARTS}
    for source, target in examples:
        parts[part_of(source, HELD_OUT)].append((source, target))
    for part, found in parts.items():
        if not found:
            raise Missing(f"no example for the {part} part; expected some hundred examples or more")
    return parts


def exact(outputs, targets):
    """The share of outputs that are equal to their targets."""
    return sum(map(str.__eq__, outputs, targets)) / len(targets)


class Recipe:
    """A task. `sets` has the names of its sets of data, each with what it is; the first is the
    default. NAME.yml or NAME-SET.yml beside this file has the options of training.

    An example is a pair of lines as a person gives and gets them; source(), target() and finish()
    are between these and what the model reads and writes."""

    name, sets, file_help = "", {}, "source TAB target, a pair a line"
    translate_options = []

    def fetch(self, chosen, data, folder):
        """{part: examples} of a set: made, fetched into `folder`, or read from the folder `data`
        where that is given."""
        raise NotImplementedError

    def read(self, path):
        """The examples of a user's own file."""
        return read_columns(path, 2)

    def learn(self, examples, folder):
        """Keeps in the folder what source() knows of the examples for training."""

    def load(self, folder):
        """Reads what learn() kept."""

    def training(self, examples):
        """The examples for training, with those that are made of them."""
        return examples

    def source(self, line):
        return line

    def target(self, line):
        return line

    def finish(self, lines, outputs):
        """What a person gets for lines, from what weft translate printed for their sources."""
        return outputs

    def figures(self, examples, results):
        """{figure: number} of the results for examples."""
        return {"exact match": exact(results, [target for _, target in examples])}

    def training_options(self, folder):
        """Further options of training, and the files that they name."""
        return []

    def config(self, chosen):
        special = HERE / f"{self.name}-{chosen}.yml"
        return special if special.is_file() else HERE / f"{self.name}.yml"

    def arguments(self, out):
        """Adds what the recipe has besides to the parser of the command line."""

    def write(self, part, examples, folder):
        """Writes a part as the model reads it."""
        write_whole(folder / f"{part}.source", [self.source(line) for line, _ in examples])
        write_whole(folder / f"{part}.target", [self.target(line) for _, line in examples])

    def prepare(self, options):
        """Writes the files of a set, or of the file that the user gives; returns {part: examples}.
        """
        folder = options.folder
        folder.mkdir(parents=True, exist_ok=True)
        parts = (divided(self.read(options.file)) if options.file else
                 self.fetch(options.set, options.data, folder))
        self.learn(parts["train"], folder)
        self.load(folder)
        for part, examples in parts.items():
            self.write(part, self.training(examples) if part == "train" else examples, folder)
        say(", ".join(f"{part}: {len(examples)} examples" for part, examples in parts.items()))
        return parts

    def train_arguments(self, options):
        """The arguments of weft train, after prepare()."""
        folder = options.folder
        kind, size = ("model", ["--dim-vocabs", options.subwords]) if options.subwords else (
            "vocab", [])
        files = {name: [folder / f"{name}.source", folder / f"{name}.target"]
                 for name in ("train", "valid")}
        return ["translation", "--config", self.config(options.set),
                "--train-sets", *files["train"], "--valid-sets", *files["valid"],
                "--vocabs", folder / f"source.{kind}", folder / f"target.{kind}", *size,
                "--model", folder / "model.safetensors", *self.training_options(folder)]

    def results(self, lines, options):
        """What a person gets for lines."""
        sources = [self.source(line) for line in lines]
        command = [options.weft, "translate", "--model", options.folder / "model.safetensors",
                   "--threads", options.threads, "--quiet", *self.translate_options]
        run = subprocess.run(list(map(str, command)), input="".join(f"{x}\n" for x in sources),
                             text=True, stdout=subprocess.PIPE, check=True, encoding="utf8")
        return self.finish(lines, lines_of(run.stdout))


def parser(recipe):
    out = argparse.ArgumentParser(
        description=sys.modules[type(recipe).__module__].__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("file", nargs="?", type=pathlib.Path,
                     help=f"your own data: {recipe.file_help}")
    out.add_argument("--set", choices=recipe.sets, default=next(iter(recipe.sets)),
                     help="; ".join(f"{name}: {what}" for name, what in recipe.sets.items()))
    out.add_argument("--data", type=pathlib.Path, help="a folder with the published data")
    out.add_argument("--folder", type=pathlib.Path,
                     help="where all files are written; quickstart/NAME-SET by default")
    out.add_argument("--subwords", type=int, default=0, metavar="N",
                     help="vocabularies of N subwords, by SentencePiece, in place of words")
    out.add_argument("--apply", type=pathlib.Path, metavar="FILE",
                     help="train nothing; write what the model makes of the lines of a file")
    out.add_argument("--weft", default=os.environ.get("WEFT", "build/release/weft"))
    out.add_argument("--seed", type=int, default=1)
    out.add_argument("--threads", type=int, default=2)
    recipe.arguments(out)
    return out


def cook(recipe, options, more):
    """Data, training, the figures of the test part, and a few examples."""
    examples = recipe.prepare(options)["test"]
    command = [options.weft, "train", *recipe.train_arguments(options),
               "--seed", options.seed, "--threads", options.threads, *more]
    say(f"training {options.folder}/model.safetensors (can be interrupted and run again)")
    subprocess.run(list(map(str, command)), check=True)
    results = recipe.results([line for line, _ in examples], options)
    write_whole(options.folder / "test.results", results)
    for figure, value in recipe.figures(examples, results).items():
        print(f"{figure}: {value:.4g}")
    for (line, target), result in list(zip(examples, results))[:3]:
        print(f"\n{line}\n    {result}\n    {'as expected' if result == target else target}")


def apply(recipe, options):
    recipe.load(options.folder)
    print(*recipe.results(read_lines(options.apply), options), sep="\n")


def main(recipe):
    """Runs a recipe from the command line; what follows `--` are options of weft train."""
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser(recipe).parse_args(arguments[:end])
    options.folder = options.folder or pathlib.Path(
        "quickstart", f"{recipe.name}-{'own' if options.file else options.set}")
    try:
        if options.apply:
            apply(recipe, options)
        else:
            cook(recipe, options, arguments[end + 1:])
    except Missing as problem:
        sys.exit(f"{recipe.name}: {problem}")
    except FileNotFoundError as problem:
        sys.exit(f"{recipe.name}: no {problem.filename}; build the program with: cmake --preset "
                 "release && cmake --build --preset release")
    except subprocess.CalledProcessError as problem:
        sys.exit(problem.returncode)
