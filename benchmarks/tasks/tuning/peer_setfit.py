#!/usr/bin/env python3
"""Trains a classifier with SetFit: the peer of few.py.

    python peer_setfit.py MODEL FOLDER SEED THREADS

FOLDER has train.tsv and test.tsv, lines `label TAB text`. SetFit's defaults: pairs of equal and of
different labels, 20 of each for a text, cosine similarity loss, one epoch of batches of 16 at 2e-5,
then logistic regression on the vectors. Prints the accuracy and the minutes of training as JSON.
"""

import json
import pathlib
import sys
import time

import torch
from datasets import Dataset
from setfit import SetFitModel, Trainer, TrainingArguments


def examples(path):
    rows = [line.split("\t", 1) for line in path.read_text(encoding="utf8").splitlines()]
    return Dataset.from_dict({"label": [row[0] for row in rows], "text": [row[1] for row in rows]})


def main():
    model_path, folder, seed, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    train, test = (examples(pathlib.Path(folder) / f"{name}.tsv") for name in ("train", "test"))
    model = SetFitModel.from_pretrained(model_path, device="cpu")
    arguments = TrainingArguments(
        output_dir=str(pathlib.Path(folder) / "setfit"), batch_size=16, num_epochs=1,
        num_iterations=20, seed=int(seed), save_strategy="no", report_to="none",
        show_progress_bar=False)
    trainer = Trainer(model=model, args=arguments, train_dataset=train)
    began = time.time()
    trainer.train()
    minutes = (time.time() - began) / 60
    predicted = [str(label) for label in model.predict(test["text"])]
    right = sum(a == b for a, b in zip(predicted, test["label"]))
    print(json.dumps({"accuracy": round(right / len(test), 4), "minutes": round(minutes, 3)}))


if __name__ == "__main__":
    main()
