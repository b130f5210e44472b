#!/usr/bin/env python3
"""Embeds lines with sentence-transformers, ONNX Runtime or llama.cpp: the peer of speed.py.

    python peer_speed.py KIND MODEL FOLDER THREADS

KIND is torch, onnx, onnx-int8, or llama or llama-q8, whose MODEL is a GGUF file. FOLDER has
lines.txt, and single.txt with lines that are embedded one at a time; an exported model is kept
there. Lines are sorted by length and padded within a batch; batches of 32 and of 128 are tried, and
the faster counts. llama.cpp packs lines into batches of 512 tokens; it embeds the first tenth of
the lines alone, since it takes minutes for all. The ONNX model's attention, GELU and norms are
fused by ONNX Runtime's own optimizer for BERT; int8 is its dynamic quantisation, with a scale for
each output, and in seven bits where the processor has no products of int8 (as its documentation
advises). Times are those of tokenising and computing, after a first run, without the start of
Python and the loading of the model. Writes FOLDER/KIND.txt, a vector in each line. Prints lines a
second and the median milliseconds of one line, as JSON.
"""

import json
import pathlib
import statistics
import sys
import time

import numpy as np

BATCHES = (32, 128)


class Torch:
    def __init__(self, model, _, threads):
        import torch
        from sentence_transformers import SentenceTransformer
        torch.set_num_threads(threads)
        self.model = SentenceTransformer(model, device="cpu")
        self.system = f"torch {torch.__version__}"

    def __call__(self, lines, batch):
        return self.model.encode(lines, batch_size=batch, show_progress_bar=False)


class Onnx:
    def __init__(self, model, folder, threads, is_int8=False):
        import onnxruntime
        from tokenizers import Tokenizer
        path = folder / "fused.onnx"
        if not path.exists():
            export(model, path)
        if is_int8:
            path = quantise(path, folder / "int8.onnx")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(path), options,
                                                    providers=["CPUExecutionProvider"])
        self.names = {entry.name for entry in self.session.get_inputs()}
        self.tokenizer = Tokenizer.from_file(f"{model}/tokenizer.json")
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()
        self.system = f"onnxruntime {onnxruntime.__version__}"

    def __call__(self, lines, batch):
        order = sorted(range(len(lines)), key=lambda i: len(lines[i]))
        out = [None] * len(lines)
        for begin in range(0, len(order), batch):
            rows = order[begin:begin + batch]
            encoded = self.tokenizer.encode_batch([lines[i] for i in rows])
            mask = np.array([one.attention_mask for one in encoded], np.int64)
            ids = np.array([one.ids for one in encoded], np.int64)
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": 0 * ids}
            states = self.session.run(None, {k: v for k, v in given.items() if k in self.names})[0]
            weights = mask[..., None].astype(np.float32)
            vectors = (states * weights).sum(1) / weights.sum(1)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            for i, vector in zip(rows, vectors):
                out[i] = vector
        return np.stack(out)


def export(folder, path):
    import torch
    from onnxruntime.transformers import optimizer
    from transformers import AutoModel

    class States(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

        def forward(self, ids, mask, types):
            return self.model(input_ids=ids, attention_mask=mask, token_type_ids=types)[0]

    model = States()
    ids = torch.ones(2, 8, dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    plain = path.with_name("plain.onnx")
    torch.onnx.export(model, (ids, ids, 0 * ids), plain, input_names=names,
                      output_names=["last_hidden_state"], opset_version=17, dynamo=False,
                      dynamic_axes={name: {0: "batch", 1: "length"} for name in names})
    config = model.model.config
    fused = optimizer.optimize_model(
        str(plain), model_type="bert", num_heads=config.num_attention_heads,
        hidden_size=config.hidden_size, opt_level=1)
    print(f"fused: {fused.get_fused_operator_statistics()}", file=sys.stderr)
    fused.save_model_to_file(str(path))


def quantise(path, out):
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    has_dots = "vnni" in pathlib.Path("/proc/cpuinfo").read_text()
    quantize_dynamic(path, out, per_channel=True, weight_type=QuantType.QInt8,
                     reduce_range=not has_dots,
                     extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
    return out


class LlamaCpp:
    """It packs lines without padding into batches of at most TOKENS tokens, its default."""

    TOKENS = 512

    def __init__(self, model, _, threads):
        import llama_cpp
        self.model = llama_cpp.Llama(
            str(model), embedding=True, n_ctx=self.TOKENS, n_batch=self.TOKENS,
            n_ubatch=self.TOKENS, n_threads=threads, n_threads_batch=threads, verbose=False)
        self.system = f"llama-cpp-python {llama_cpp.__version__}"

    def __call__(self, lines, _):
        return np.array(self.model.embed(lines, normalize=True))


KINDS = {"torch": Torch, "onnx": Onnx, "llama": LlamaCpp, "llama-q8": LlamaCpp,
         "onnx-int8": lambda *given: Onnx(*given, is_int8=True)}


def main():
    kind, model, folder, threads = sys.argv[1:]
    folder = pathlib.Path(folder)
    lines, single = ((folder / f"{name}.txt").read_text(encoding="utf8").splitlines()
                     for name in ("lines", "single"))
    embed = KINDS[kind](model, folder, int(threads))
    if KINDS[kind] is LlamaCpp:
        lines = lines[:len(lines) // 10]
    for batch in BATCHES:
        embed(lines[:256], batch)
    speeds = {}
    for batch in BATCHES:
        began = time.perf_counter()
        vectors = embed(lines, batch)
        speeds[batch] = len(lines) / (time.perf_counter() - began)
    times = []
    for line in single:
        began = time.perf_counter()
        embed([line], 1)
        times.append(time.perf_counter() - began)
    np.savetxt(folder / f"{kind}.txt", vectors, fmt="%.8g")
    print(json.dumps({"lines_per_s": round(max(speeds.values()), 1),
                      "one_line_ms": round(statistics.median(times) * 1000, 3),
                      "system": embed.system}))


if __name__ == "__main__":
    main()
