"""What Transformers computes with a GGUF file in float32, kept in a folder so that an interrupted
run goes on where it stopped."""

import json
import pathlib
import sys

import numpy as np
import torch
from gguf import GGUFReader
from safetensors.numpy import save_file
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import write_whole  # noqa: E402

TOKENS_OF_PROMPT = 12
CHUNK = 1024  # tokens of a text whose perplexity is computed


class Peer:
    """Its methods return what is in the folder, or compute it."""

    def __init__(self, gguf, folder, threads):
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.gguf, self.folder = gguf, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        if GGUFReader(gguf).fields["tokenizer.ggml.pre"].contents() == "smollm":
            # Transformers reads any byte-level BPE of GGUF with GPT-2's rule, by which digits and
            # the spaces before them form other tokens than SmolLM2 was trained with.
            self.tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
                [Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])
        self.loaded = None

    @property
    def model(self):
        if self.loaded is None:
            self.loaded = AutoModelForCausalLM.from_pretrained(
                self.gguf.parent, gguf_file=self.gguf.name, dtype=torch.float32,
                attn_implementation="eager").eval()
        return self.loaded

    def kept(self, name, compute):
        path = self.folder / name
        if not path.exists():
            write_whole(path, json.dumps(compute()))
        return json.loads(path.read_text())

    def prompts(self, lines, count):
        """Beginnings of lines that are as many tokens, alone and in their text."""
        out = []
        for line in lines:
            ids = self.tokenizer(line).input_ids[:TOKENS_OF_PROMPT]
            text = self.tokenizer.decode(ids, skip_special_tokens=True)
            if len(ids) == TOKENS_OF_PROMPT and self.tokenizer(text).input_ids == ids:
                out.append({"text": text, "ids": ids})
            if len(out) == count:
                return out
        raise SystemExit(f"{len(out)} of {count} prompts")

    def logits(self, texts):
        """The path of the logits of texts, as tools/golden/logits.py writes them."""
        path = self.folder / "logits.safetensors"
        if not path.exists():
            ids = [np.array(self.tokenizer(text).input_ids, dtype=np.int32) for text in texts]
            rows = [self.model(torch.tensor(x)[None].long()).logits[0].numpy() for x in ids]
            offsets = np.cumsum([0] + [len(x) for x in ids]).astype(np.int32)
            save_file({"text.ids": np.concatenate(ids), "text.offsets": offsets,
                       "logits": np.concatenate(rows)}, path)
        return path

    def greedy(self, prompts, tokens):
        """Of each prompt its most probable continuation, with the gap of the two best logits at
        each token."""
        return self.kept("greedy.json", lambda: self.continued(prompts, tokens))

    def continued(self, prompts, tokens):
        ends = self.model.config.eos_token_id
        ends = set(ends if isinstance(ends, list) else [ends])
        out = [{"ids": [], "gaps": []} for _ in prompts]
        inputs, cache = torch.tensor([prompt["ids"] for prompt in prompts]), None
        ended = [False] * len(prompts)
        for _ in range(tokens):
            result = self.model(inputs, past_key_values=cache, use_cache=True, logits_to_keep=1)
            cache = result.past_key_values
            best = result.logits[:, -1].topk(2)
            inputs = best.indices[:, :1]
            for i, one in enumerate(out):
                token = inputs[i].item()
                ended[i] = ended[i] or token in ends
                one["gaps"] += [(best.values[i, 0] - best.values[i, 1]).item()] * (not ended[i])
                one["ids"] += [token] * (not ended[i])
            if all(ended):
                break
        for prompt, one in zip(prompts, out):
            one["text"] = self.text_after(prompt, one["ids"])
        return out

    def text_after(self, prompt, ids):
        """What ids add to the text of a prompt."""
        begin = self.tokenizer.decode(prompt["ids"], skip_special_tokens=True)
        return self.tokenizer.decode(prompt["ids"] + ids, skip_special_tokens=True)[len(begin):]

    def text_of(self, text, tokens):
        """The beginning of a text that is this many tokens."""
        ids = self.tokenizer(text).input_ids[:tokens]
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def perplexity(self, text):
        """Of all tokens but the first of each part of CHUNK tokens, and their number."""
        ids = self.tokenizer(text).input_ids
        parts = [ids[i:i + CHUNK] for i in range(0, len(ids), CHUNK)]
        losses = [x for i, part in enumerate(parts) if len(part) > 1
                  for x in self.kept(f"chunk{i}.json", lambda part=part: self.losses(part))]
        return {"perplexity": float(np.exp(np.mean(losses))), "tokens": len(losses)}

    def losses(self, ids):
        rows = self.model(torch.tensor([ids])).logits[0, :-1].double()
        return (-rows.log_softmax(-1)[torch.arange(len(ids) - 1), torch.tensor(ids[1:])]).tolist()
