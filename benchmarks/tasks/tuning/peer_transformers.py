#!/usr/bin/env python3
"""Tunes a classifier of sentences with Transformers: the peer of speed.py.

    python peer_transformers.py --model MODEL --train FILE --test FILE [--dtype f32|bf16] ...

Lines are a label, a space and a sentence. AdamW with warm-up over a tenth of the updates and linear
decay; sentences of similar length share a batch, as by the Trainer's grouping by length. bf16 is
automatic mixed precision. The clock runs over the updates alone: the start of Python, loading and
tokenising are not in it. Prints the seconds of training, the peak memory in MiB and the accuracy on
the test sentences, as JSON.
"""

import argparse
import json
import pathlib
import resource
import time

import torch
import transformers
from transformers import AutoModelForSequenceClassification, AutoTokenizer

WINDOW = 50  # batches whose sentences are sorted by length together


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    for name in ("train", "test"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--dtype", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def examples(path):
    lines = path.read_text(encoding="utf8").splitlines()
    return [tuple(line.split(" ", 1)) for line in lines]


def grouped(lengths, batch):
    """Batches of indices of similar length, in random order."""
    order, batches = torch.randperm(len(lengths)).tolist(), []
    for begin in range(0, len(order), WINDOW * batch):
        window = sorted(order[begin:begin + WINDOW * batch], key=lengths.__getitem__)
        batches += [window[i:i + batch] for i in range(0, len(window), batch)]
    return [batches[i] for i in torch.randperm(len(batches)).tolist()]


class Tuning:
    def __init__(self, options, labels):
        self.options = options
        self.tokenizer = AutoTokenizer.from_pretrained(options.model)
        self.model = AutoModelForSequenceClassification.from_pretrained(
            options.model, num_labels=labels)

    def tokens(self, texts):
        return self.tokenizer(texts, truncation=True).input_ids

    def forward(self, ids, labels=None):
        batch = self.tokenizer.pad({"input_ids": ids}, return_tensors="pt")
        with torch.autocast("cpu", torch.bfloat16, enabled=self.options.dtype == "bf16"):
            return self.model(**batch, labels=labels)

    def train(self, ids, labels):
        """Seconds."""
        options = self.options
        adam = torch.optim.AdamW(self.model.parameters(), lr=options.rate, weight_decay=0.01)
        updates = options.epochs * -(-len(ids) // options.batch)
        schedule = transformers.get_linear_schedule_with_warmup(adam, updates // 10, updates)
        lengths = [len(x) for x in ids]
        self.model.train()
        began = time.time()
        for _ in range(options.epochs):
            for chosen in grouped(lengths, options.batch):
                self.forward([ids[i] for i in chosen], labels[chosen]).loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1)
                adam.step()
                schedule.step()
                adam.zero_grad()
        return time.time() - began

    @torch.no_grad()
    def accuracy(self, ids, labels):
        self.model.eval()
        right = 0
        for begin in range(0, len(ids), 100):
            found = self.forward(ids[begin:begin + 100]).logits.argmax(-1)
            right += int((found == labels[begin:begin + 100]).sum())
        return right / len(ids)


def main():
    options = parse()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    train, test = examples(options.train), examples(options.test)
    names = sorted({label for label, _ in train})
    tuning = Tuning(options, len(names))
    inputs = {}
    for part, rows in (("train", train), ("test", test)):
        inputs[part] = (tuning.tokens([text for _, text in rows]),
                        torch.tensor([names.index(label) for label, _ in rows]))
    seconds = tuning.train(*inputs["train"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({
        "system": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "seconds": round(seconds, 1), "peak_mb": peak,
        "accuracy": round(tuning.accuracy(*inputs["test"]), 4)}))


if __name__ == "__main__":
    main()
