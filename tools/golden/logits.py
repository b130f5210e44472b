#!/usr/bin/env python3
"""Writes inputs and logits of a model of Transformers, for `weft convert --check`.

    python3 tools/golden/logits.py HF_FOLDER OUT.safetensors [examples, 8 by default]

Runs random inputs through Transformers' model in float32. Of a Marian or T5 model these are
sentences of different lengths: OUT holds, packed without padding and with end symbols, source.ids
and source.offsets, target.ids and target.offsets, and logits [N, V], one row per target token,
given the previous ones. Of a ViT they are pictures of the model's size, which pass its image
processor: OUT holds pictures [B, height, width, channels] and logits [B, labels]. Of a language
model they are texts: OUT holds text.ids and text.offsets, packed, and logits [N, V] of the token
after each.
"""

import pathlib
import sys

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import (AutoConfig, AutoImageProcessor, AutoModelForCausalLM,
                          AutoModelForSeq2SeqLM, ViTForImageClassification)


def sentences(random, count, size, config):
    """Lists of non-special ids, each followed by the end symbol."""
    special = {config.eos_token_id, config.pad_token_id, config.decoder_start_token_id}
    plain = np.array([i for i in range(size) if i not in special])
    return [[*random.choice(plain, 2 + 3 * i % 11), config.eos_token_id] for i in range(count)]


def packed(field, lists):
    offsets = np.cumsum([0] + [len(ids) for ids in lists])
    return {f"{field}.ids": np.concatenate(lists).astype(np.int32),
            f"{field}.offsets": offsets.astype(np.int32)}


def translator_logits(folder, count, random):
    model = AutoModelForSeq2SeqLM.from_pretrained(folder).float().eval()
    config = model.config
    sources = sentences(random, count, config.vocab_size, config)
    target_size = getattr(config, "decoder_vocab_size", None) or config.vocab_size
    targets = sentences(random, count, target_size, config)
    logits = []
    for source, target in zip(sources, targets):
        inputs = [config.decoder_start_token_id, *target[:-1]]
        result = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([inputs]))
        logits.append(result.logits[0].numpy())
    return {**packed("source", sources), **packed("target", targets),
            "logits": np.concatenate(logits)}


def vit_logits(folder, count, random):
    model = ViTForImageClassification.from_pretrained(folder).float().eval()
    processor = AutoImageProcessor.from_pretrained(folder)
    size = (processor.size["height"], processor.size["width"], model.config.num_channels)
    pictures = random.integers(0, 256, (count, *size), dtype=np.uint8)
    inputs = processor(list(pictures), return_tensors="pt", input_data_format="channels_last")
    return {"pictures": pictures, "logits": model(**inputs).logits.numpy()}


def load_language_model(folder):
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager")
    return model.float().eval()


def logits_of_texts(model, count, random):
    texts = [random.integers(0, model.config.vocab_size, 2 + 5 * i % 17) for i in range(count)]
    logits = [model(input_ids=torch.tensor(text)[None]).logits[0].numpy() for text in texts]
    return {**packed("text", texts), "logits": np.concatenate(logits)}


def language_model_logits(folder, count, random):
    return logits_of_texts(load_language_model(folder), count, random)


LOGITS = {"marian": translator_logits, "t5": translator_logits, "vit": vit_logits}


def main():
    folder, out = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    with torch.no_grad():
        model_type = AutoConfig.from_pretrained(folder).model_type
        logits_of = LOGITS.get(model_type, language_model_logits)
        save_file(logits_of(folder, count, np.random.default_rng(1)), out)


if __name__ == "__main__":
    main()
