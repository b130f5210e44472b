#!/usr/bin/env python3
"""Writes inputs and logits of a Marian model, for `weft convert --check`.

    python3 tools/golden/logits.py HF_FOLDER OUT.safetensors [sentences, 8 by default]

Runs random sentences of different lengths through Transformers' model in float32. OUT holds, packed
without padding and with end symbols, source.ids and source.offsets, target.ids and target.offsets,
and logits [N, V], one row per target token, given the previous ones.
"""

import pathlib
import sys

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import MarianMTModel


def sentences(random, count, size, config):
    """Lists of non-special ids, each followed by the end symbol."""
    special = {config.eos_token_id, config.pad_token_id, config.decoder_start_token_id}
    plain = np.array([i for i in range(size) if i not in special])
    return [[*random.choice(plain, 2 + 3 * i % 11), config.eos_token_id] for i in range(count)]


def packed(field, lists):
    offsets = np.cumsum([0] + [len(ids) for ids in lists])
    return {f"{side}.ids": np.concatenate(lists).astype(np.int32),
            f"{side}.offsets": offsets.astype(np.int32)}


def main():
    folder, out = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    model = MarianMTModel.from_pretrained(folder).float().eval()
    config, random = model.config, np.random.default_rng(1)
    sources = sentences(random, count, config.vocab_size, config)
    targets = sentences(random, count, config.decoder_vocab_size or config.vocab_size, config)
    logits = []
    with torch.no_grad():
        for source, target in zip(sources, targets):
            inputs = [config.decoder_start_token_id, *target[:-1]]
            result = model(input_ids=torch.tensor([source]),
                           decoder_input_ids=torch.tensor([inputs]))
            logits.append(result.logits[0].numpy())
    save_file({**packed("source", sources), **packed("target", targets),
               "logits": np.concatenate(logits)}, out)


if __name__ == "__main__":
    main()
