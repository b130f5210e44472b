#!/usr/bin/env python3
"""Writes small T5 models in Transformers' format, with logits computed by Transformers.

    python3 tools/golden/t5.py [folder, tests/golden by default]

Writes t5_first, as the first T5 is (one table for embeddings and output, scaled; ReLU), and
t5_gated, as T5 v1.1 is (an output matrix of its own; gated GELU), with more decoder layers and
heads of another size: config.json, model.safetensors, tokenizer.json, tokenizer_config.json,
logits.safetensors in the format of tools/golden/logits.py, and texts.json: texts with their ids,
and what each model writes for them greedily, without padding. The tables have more rows than the
tokeniser has tokens.
"""

import json
import pathlib
import subprocess
import sys

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

PIECES = ["\u2581", "\u2581a", "\u2581cat", "\u2581sat", "\u2581on", "\u2581the", "s", "t", "e",
          "a", "c", "o", "n", "h", "ing", "er", "\u2581mat"]
SENTINELS = 6
VOCAB = 32
COMMON = dict(vocab_size=VOCAB, d_model=12, d_ff=20, num_layers=2, num_heads=3, d_kv=4,
              relative_attention_num_buckets=8, relative_attention_max_distance=12,
              decoder_start_token_id=0)
MODELS = {"t5_first": dict(feed_forward_proj="relu"),
          "t5_gated": dict(feed_forward_proj="gated-gelu", num_decoder_layers=3, d_kv=6,
                           tie_word_embeddings=False)}
TEXTS = ["the cat sat on a mat", "a cat", "sing the catcher hat", "cats", ""]


def tokeniser():
    vocabulary = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocabulary += [(piece, -1.0 - 0.1 * i) for i, piece in enumerate(PIECES)]
    out = Tokenizer(models.Unigram(vocabulary, unk_id=2))
    out.normalizer = normalizers.Replace(" {2,}", " ")
    out.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    out.decoder = decoders.Metaspace(prepend_scheme="always")
    out.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=out, eos_token="</s>", unk_token="<unk>", pad_token="<pad>",
        additional_special_tokens=[f"<extra_id_{i}>" for i in range(SENTINELS)])


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    for name, more in MODELS.items():
        torch.manual_seed(1)
        model = T5ForConditionalGeneration(T5Config(**{**COMMON, **more})).eval()
        if more.get("tie_word_embeddings") is False:  # Transformers ties them nevertheless
            model.lm_head.weight = torch.nn.Parameter(torch.empty(VOCAB, COMMON["d_model"]))
        with torch.no_grad():
            for parameter in model.parameters():  # avoid values of 0 and 1, which hide errors
                parameter.normal_(0, 0.4)
        folder = root / name
        model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        made = tokeniser()
        made.save_pretrained(folder)
        (folder / "special_tokens_map.json").unlink(missing_ok=True)
        with (folder / "tokenizer.json").open("a") as file:
            file.write("\n")
        texts = []
        for text in TEXTS:
            ids = made(text)["input_ids"]
            with torch.no_grad():
                found = model.generate(torch.tensor([ids]), max_new_tokens=12, do_sample=False,
                                       num_beams=1, use_cache=False, suppress_tokens=[0])
            texts.append({"text": text, "ids": ids, "written": found[0].tolist()[1:]})
        (folder / "texts.json").write_text(json.dumps(texts, indent=1) + "\n")
        script = pathlib.Path(__file__).with_name("logits.py")
        subprocess.run([sys.executable, script, folder, folder / "logits.safetensors", "6"],
                       check=True)


if __name__ == "__main__":
    main()
