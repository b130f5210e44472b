"""What the recipes share that tune a language model by low-rank updates beside it."""

import json
import pathlib
import subprocess
import sys

from recipe import HERE, Missing, Recipe, write_whole

MODELS = pathlib.Path("quickstart/models")
SMOLLM2 = MODELS / "smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


class TunedRecipe(Recipe):
    """source() is the prompt for a line, which the model goes on with a space and the target."""

    longest = 64  # tokens of an answer

    def arguments(self, out):
        out.add_argument("--model", type=pathlib.Path, default=SMOLLM2,
                         help="the language model to tune: GGUF, a folder of Transformers or a "
                              "model file; SmolLM2-135M-Instruct, which is fetched, by default")

    def write(self, part, examples, folder):
        write_whole(folder / f"{part}.jsonl", [
            json.dumps({"prompt": self.source(line), "completion": f" {self.target(target)}"},
                       ensure_ascii=False) for line, target in examples])

    def prepare(self, options):
        if options.model == SMOLLM2 and not SMOLLM2.is_file():
            subprocess.run([sys.executable, HERE.parent / "scripts/fetch-models", MODELS,
                            "smollm2"], check=True)
        if not options.model.exists():
            raise Missing(f"no model {options.model}")
        return super().prepare(options)

    def train_arguments(self, options):
        folder = options.folder
        return ["language-model", "--config", self.config(options.set), "--from", options.model,
                "--train-sets", folder / "train.jsonl", "--valid-sets", folder / "valid.jsonl",
                "--model", folder / "model.safetensors", *self.training_options(folder)]

    def answers(self, lines, options, *adapter):
        """What the model says after the prompts, up to the end of the first line with text."""
        prompts = "".join(json.dumps({"prompt": self.source(line)}) + "\n" for line in lines)
        command = [options.weft, "generate", "--model", options.model, *adapter, "--format",
                   "jsonl", "--json", "--temperature", 0, "--max-length", self.longest,
                   "--threads", options.threads, "--quiet"]
        run = subprocess.run(list(map(str, command)), input=prompts, text=True, check=True,
                             stdout=subprocess.PIPE, encoding="utf8")
        texts = [json.loads(line)["text"] for line in run.stdout.splitlines()]
        return self.finish(lines, [text.strip().partition("\n")[0] for text in texts])

    def results(self, lines, options):
        return self.answers(lines, options, "--lora", options.folder / "model.safetensors")
