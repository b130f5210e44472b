#!/usr/bin/env python3
"""Translates with Transformers' generate() for same_answers.py; needs PyTorch.

    python3 hf_generate.py HF_FOLDER BEAM < lines of tokens

Prints one JSON line per line, with tokens and score: the log-probability, with a beam divided by
the length (end symbol included).
"""

import json
import pathlib
import sys

import torch
from transformers import MarianMTModel

BATCH = 32


def scores_of(model, batch, beam):
    most = 3 * batch["attention_mask"].sum(1).max().item()
    out = model.generate(**batch, num_beams=beam, do_sample=False, max_new_tokens=most,
                         length_penalty=1.0, early_stopping=False, output_scores=True,
                         output_logits=True, return_dict_in_generate=True)
    if beam > 1:
        return out.sequences, out.sequences_scores.tolist()
    tokens = out.sequences[:, 1:]  # without the begin symbol, which is also the padding
    steps = torch.stack(out.logits, 1).log_softmax(-1).gather(2, tokens[:, :, None])[:, :, 0]
    return out.sequences, (steps * (tokens != model.config.pad_token_id)).sum(1).tolist()


def main():
    folder, beam = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(2)
    model = MarianMTModel.from_pretrained(folder).eval()
    source = json.loads((folder / "vocab.json").read_text())
    target_file = folder / "target_vocab.json"
    target = json.loads(target_file.read_text()) if target_file.exists() else source
    words = {i: w for w, i in target.items()}
    special = {model.config.pad_token_id, model.config.eos_token_id}
    lines = [[source.get(w, source["<unk>"]) for w in line.split()] + [model.config.eos_token_id]
             for line in sys.stdin]
    with torch.no_grad():
        for begin in range(0, len(lines), BATCH):
            part = lines[begin:begin + BATCH]
            width = max(map(len, part))
            ids = torch.tensor([x + [model.config.pad_token_id] * (width - len(x)) for x in part])
            mask = torch.tensor([[1] * len(x) + [0] * (width - len(x)) for x in part])
            batch = {"input_ids": ids, "attention_mask": mask}
            for row, score in zip(*scores_of(model, batch, beam)):
                tokens = [words[i] for i in row.tolist() if i not in special]
                print(json.dumps({"text": " ".join(tokens), "score": score}), flush=True)


if __name__ == "__main__":
    main()
