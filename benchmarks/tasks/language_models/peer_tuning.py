"""Tunes a GGUF file with Transformers and PEFT, in float32 or bfloat16, and saves the adapter.

    python peer_tuning.py --gguf FILE --train FILE --valid FILE [--rank R] --updates N ...

Lines of JSON have a "text", which is the loss, or a "prompt" and a "completion", which alone is.
Prints one JSON object: validation loss before and after, tokens a second, peak memory in MiB.
"""

import argparse
import json
import pathlib
import random
import resource
import statistics
import sys
import time

import torch
from peft import LoraConfig, get_peft_model

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from peer import Peer  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("gguf", "train", "valid"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--rank", type=int, default=8, help="0: all weights")
    parser.add_argument("--updates", type=int, required=True)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--decays", action="store_true", help="the rate, linearly to zero")
    parser.add_argument("--max-length", type=int, default=512)
    parser.add_argument("--dtype", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def examples(tokenizer, path, max_length):
    """(ids, where the loss begins) of each line; the end symbol ends it."""
    out = []
    for line in path.read_text(encoding="utf8").splitlines():
        fields = json.loads(line)
        text = fields.get("text", fields.get("prompt", "") + fields.get("completion", ""))
        ids = tokenizer(text + tokenizer.eos_token).input_ids[:max_length]
        begin = len(tokenizer(fields["prompt"]).input_ids) if "prompt" in fields else 1
        out.append((ids, begin))
    return out


def batch_of(lines):
    width = max(len(ids) for ids, _ in lines)
    ids = torch.zeros(len(lines), width, dtype=torch.long)
    mask, labels = torch.zeros_like(ids), torch.full_like(ids, -100)
    for i, (line, begin) in enumerate(lines):
        ids[i, :len(line)] = torch.tensor(line)
        mask[i, :len(line)] = 1
        labels[i, begin:len(line)] = ids[i, begin:len(line)]
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


class Tuning:
    def __init__(self, options, model):
        self.options, self.model = options, model

    def loss(self, batch):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.options.dtype == "bf16"):
            return self.model(**batch).loss

    def valid_loss(self, lines):
        self.model.eval()
        total = count = 0
        with torch.no_grad():
            for i in range(0, len(lines), self.options.batch):
                batch = batch_of(lines[i:i + self.options.batch])
                labels = int((batch["labels"][:, 1:] != -100).sum())
                total += self.loss(batch).item() * labels
                count += labels
        self.model.train()
        return total / count

    def run(self, lines):
        """Tokens a second of each update."""
        options, draw = self.options, random.Random(self.options.seed)
        trained = [p for p in self.model.parameters() if p.requires_grad]
        adam = torch.optim.AdamW(trained, lr=options.rate, weight_decay=0)
        order, speeds = [], []
        for update in range(options.updates):
            if len(order) < options.batch:
                order += draw.sample(range(len(lines)), len(lines))
            chosen, order = order[:options.batch], order[options.batch:]
            batch, begin = batch_of([lines[i] for i in chosen]), time.time()
            if options.decays:
                adam.param_groups[0]["lr"] = options.rate * (1 - update / options.updates)
            self.loss(batch).backward()
            torch.nn.utils.clip_grad_norm_(trained, 1)
            adam.step()
            adam.zero_grad()
            speeds.append(int(batch["attention_mask"].sum()) / (time.time() - begin))
        return speeds


def main():
    options = parse()
    torch.manual_seed(options.seed)
    peer = Peer(options.gguf, options.gguf.parent, options.threads)
    torch.set_grad_enabled(True)
    train = examples(peer.tokenizer, options.train, options.max_length)
    valid = examples(peer.tokenizer, options.valid, options.max_length)
    model = peer.model
    if options.rank > 0:
        model = get_peft_model(model, LoraConfig(
            r=options.rank, lora_alpha=2 * options.rank, target_modules="all-linear",
            task_type="CAUSAL_LM"))
    model.set_attn_implementation("sdpa")
    tuning = Tuning(options, model)
    before = tuning.valid_loss(valid)
    began = time.time()
    speeds = tuning.run(train)
    seconds = time.time() - began
    if options.save:
        model.save_pretrained(options.save)
    print(json.dumps({
        "system": f"torch {torch.__version__}", "dtype": options.dtype,
        "valid_loss": [round(before, 4), round(tuning.valid_loss(valid), 4)],
        "minutes": round(seconds / 60, 2),
        "tokens_per_s": round(statistics.median(speeds[3:]), 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
