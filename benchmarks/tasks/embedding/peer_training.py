#!/usr/bin/env python3
"""Trains an embedder on scored pairs with sentence-transformers: the peer of run.py.

    python peer_training.py MODEL FOLDER SEED THREADS

FOLDER has train.tsv and test.tsv, lines `text TAB text TAB score`. CoSENT, AdamW at 5e-5 with
warm-up over a tenth of the updates and linear decay, four epochs of batches of 32. Prints
Spearman's correlation before and after, and the minutes of training, as JSON.
"""

import json
import pathlib
import sys
import time

import torch
from scipy.stats import spearmanr
from sentence_transformers import SentenceTransformer, losses

EPOCHS, BATCH, RATE = 4, 32, 5e-5


def pairs(path):
    rows = [line.split("\t") for line in path.read_text(encoding="utf8").splitlines()]
    return [(a, b, float(score)) for a, b, score in rows]


def spearman(model, test):
    a, b = (model.encode([row[i] for row in test], convert_to_tensor=True, show_progress_bar=False)
            for i in (0, 1))
    cosines = torch.nn.functional.cosine_similarity(a, b)
    return round(float(spearmanr(cosines.numpy(), [row[2] for row in test])[0]), 4)


def main():
    model_path, folder, seed, threads = sys.argv[1:]
    torch.manual_seed(int(seed))
    torch.set_num_threads(int(threads))
    model = SentenceTransformer(model_path, device="cpu")
    train, test = (pairs(pathlib.Path(folder) / f"{name}.tsv") for name in ("train", "test"))
    before = spearman(model, test)
    loss = losses.CoSENTLoss(model)
    updates = EPOCHS * -(-len(train) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / (0.1 * updates), (updates - step) / (0.9 * updates)))
    began = time.time()
    model.train()
    for _ in range(EPOCHS):
        order = torch.randperm(len(train)).tolist()
        for begin in range(0, len(order), BATCH):
            rows = [train[i] for i in order[begin:begin + BATCH]]
            features = [model.tokenize([row[i] for row in rows]) for i in (0, 1)]
            value = loss(features, torch.tensor([row[2] for row in rows]))
            value.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    minutes = (time.time() - began) / 60
    model.eval()
    print(json.dumps({"spearman before": before, "spearman": spearman(model, test),
                      "minutes": round(minutes, 2)}))


if __name__ == "__main__":
    main()
