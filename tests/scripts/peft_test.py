#!/usr/bin/env python3
"""Passes adapters between `weft` and PEFT, and compares the logits of both.

    tests/scripts/peft_test.py WEFT

Needs Python's peft, transformers and tokenizers; without them the test is skipped.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "golden"))
try:
    import numpy as np
    import torch
    from logits import load_language_model, logits_of_texts
    from peft import LoraConfig, PeftModel, get_peft_model
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models
    from transformers import AutoConfig, AutoModelForCausalLM
except ImportError:
    PeftModel = None

MODELS = {
    "llama": dict(hidden_size=16, intermediate_size=20, num_hidden_layers=2, bos_token_id=2,
                  num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32),
    "gpt2": dict(n_embd=12, n_layer=2, n_head=3, n_positions=32, bos_token_id=2),
}
CHARACTERS = "abcdefghijklmnopqrstuvwxyz ,.0123456789!"  # 40


def make_base(folder, model_type):
    """A model with random weights and a tokeniser of characters."""
    torch.manual_seed(1)
    config = AutoConfig.for_model(model_type=model_type, vocab_size=len(CHARACTERS),
                                  eos_token_id=0, **MODELS[model_type])
    model = AutoModelForCausalLM.from_config(config)
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    vocabulary = {character: i for i, character in enumerate(CHARACTERS)}
    Tokenizer(models.BPE(vocab=vocabulary, merges=[])).save(str(folder / "tokenizer.json"))


def make_adapter(base, folder):
    model = get_peft_model(load_language_model(base),
                           LoraConfig(r=3, lora_alpha=5, target_modules="all-linear"))
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = 0.3 * torch.randn_like(parameter)
    model.save_pretrained(folder)


def write_logits(base, adapter, path):
    with torch.no_grad():
        model = PeftModel.from_pretrained(load_language_model(base), adapter).eval()
        save_file(logits_of_texts(model, 4, np.random.default_rng(1)), path)


@unittest.skipIf(PeftModel is None, "Python's peft is not installed")
class PeftTest(unittest.TestCase):
    def weft(self, command):
        done = subprocess.run([WEFT, *command.split()], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check(self, adapter, exported):
        """Compares Weft's logits with `adapter` with PEFT's with `exported`."""
        write_logits(self.folder / "base", self.folder / exported, self.folder / "logits")
        self.weft(f"convert --from-hf base --lora {adapter} --check logits")

    def test_adapters(self):
        for model_type in MODELS:
            with self.subTest(model_type), tempfile.TemporaryDirectory() as folder:
                self.folder = pathlib.Path(folder)
                make_base(self.folder / "base", model_type)
                make_adapter(self.folder / "base", self.folder / "theirs")
                self.check("theirs", exported="theirs")
                self.weft("convert --from-hf base --lora theirs --to-peft back")
                self.check("theirs", exported="back")

                (self.folder / "text").write_text("some words, and more of them.\n" * 20)
                self.weft("train language-model --from base -m ours -t text --lora-rank 2 "
                          "--after 5u --learn-rate 0.1 --max-length 32 --threads 1")
                self.weft("convert --from-hf base --lora ours --to-peft exported")
                self.check("ours", exported="exported")


if __name__ == "__main__":
    WEFT = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
