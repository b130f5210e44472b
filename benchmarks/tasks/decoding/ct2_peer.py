#!/usr/bin/env python3
"""Runs CTranslate2 for comparison; needs ctranslate2, safetensors and sentencepiece.

    python3 ct2_peer.py convert MODEL OUT [int8]
    python3 ct2_peer.py translate OUT TYPE BATCH BEAM THREADS REPEATS < lines

MODEL is a model file of Weft. If REPEATS is 0, each translation is printed as soon as it is
complete; otherwise one JSON line with the version, the seconds of each repeat, and peak memory in
MiB.
"""

import json
import pathlib
import resource
import sys
import time

WORDS = b"weft vocabulary 1 word\n"


def pieces(vocabulary):
    if vocabulary.startswith(WORDS):
        return vocabulary[len(WORDS):].decode().splitlines()
    import sentencepiece
    model = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
    return [model.id_to_piece(i) for i in range(len(model))]


def positions(features, count=512):
    import numpy as np
    angles = np.arange(count)[:, None] / 10000 ** (np.arange(0, features, 2) / features)
    return np.stack([np.sin(angles), np.cos(angles)], 2).reshape(count, -1).astype("float32")


def linear(to, tensors, *names):
    import numpy as np
    to.weight = np.concatenate([tensors[f"{name}.weight"] for name in names])
    to.bias = np.concatenate([tensors[f"{name}.bias"].ravel() for name in names])


def norm(to, tensors, name):
    to.gamma, to.beta = (tensors[f"{name}.{part}"].ravel() for part in ("weight", "bias"))


def layer(to, tensors, name, has_memory):
    attention = f"{name}.self_attn"
    parts = [f"{attention}.{x}_proj" for x in "qkv"]
    linear(to.self_attention.linear[0], tensors, *parts)
    linear(to.self_attention.linear[1], tensors, f"{attention}.out_proj")
    norm(to.self_attention.layer_norm, tensors, f"{attention}_layer_norm")
    if has_memory:
        attention = f"{name}.encoder_attn"
        linear(to.attention.linear[0], tensors, f"{attention}.q_proj")
        linear(to.attention.linear[1], tensors, f"{attention}.k_proj", f"{attention}.v_proj")
        linear(to.attention.linear[2], tensors, f"{attention}.out_proj")
        norm(to.attention.layer_norm, tensors, f"{attention}_layer_norm")
    linear(to.ffn.linear_0, tensors, f"{name}.fc1")
    linear(to.ffn.linear_1, tensors, f"{name}.fc2")
    norm(to.ffn.layer_norm, tensors, f"{name}.final_layer_norm")


def stack(to, tensors, side, features):
    shared = tensors.get("model.shared.weight")
    table = to.embeddings[0] if isinstance(to.embeddings, list) else to.embeddings
    table.weight = shared if shared is not None else tensors[f"model.{side}.embed_tokens.weight"]
    to.scale_embeddings = table.multiply_by_sqrt_depth = True
    to.position_encodings.encodings = positions(features)
    for i, each in enumerate(to.layer):
        layer(each, tensors, f"model.{side}.layers.{i}", side == "decoder")
    if f"model.{side}.layer_norm.weight" in tensors:
        norm(to.layer_norm, tensors, f"model.{side}.layer_norm")
    return table.weight


def convert(path, out, quantisation=None):
    from ctranslate2.specs import common_spec, transformer_spec
    from safetensors import safe_open
    with safe_open(path, "numpy") as file:
        options = json.loads(file.metadata()["weft.options"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    kinds = {"relu": common_spec.Activation.RELU, "silu": common_spec.Activation.SWISH}
    spec = transformer_spec.TransformerSpec.from_config(
        (options["enc-depth"], options["dec-depth"]), options["transformer-heads"],
        pre_norm=options["transformer-norm"] == "pre",
        activation=kinds[options["transformer-ffn-activation"]])
    source = pieces(tensors["vocab.source"].tobytes())
    target = pieces(tensors.get("vocab.target", tensors["vocab.source"]).tobytes())
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.decoder_start_token = target[options["begin-id"]]
    spec.config.eos_token = spec.config.bos_token = target[options["end-id"]]
    spec.config.unk_token, spec.config.add_source_eos = "<unk>", False
    stack(spec.encoder, tensors, "encoder", options["dim-emb"])
    table = stack(spec.decoder, tensors, "decoder", options["dim-emb"])
    spec.decoder.projection.weight = tensors.get("lm_head.weight", table)
    bias = tensors["final_logits_bias"].ravel().copy()
    for symbol in (target[options["begin-id"]], "<unk>"):
        bias[target.index(symbol)] = -1e9  # never in a translation
    spec.decoder.projection.bias = bias
    spec.validate()
    spec.optimize(quantization=quantisation)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    spec.save(str(out))
    if not tensors["vocab.source"].tobytes().startswith(WORDS):
        pathlib.Path(out, "source.model").write_bytes(tensors["vocab.source"].tobytes())


def read_lines(model):
    """Tokens of each line of standard input, from the model's tokeniser if it has one."""
    file = pathlib.Path(model, "source.model")
    if not file.exists():
        return (line.split() + ["</s>"] for line in sys.stdin)
    import sentencepiece
    cut = sentencepiece.SentencePieceProcessor(model_file=str(file))
    return (cut.encode(line.strip(), out_type=str) + ["</s>"] for line in sys.stdin)


def translate(model, kind, *numbers):
    import ctranslate2
    batch, beam, threads, repeats = map(int, numbers)
    translator = ctranslate2.Translator(model, compute_type=kind, intra_threads=threads,
                                        inter_threads=1)
    lines = read_lines(model)

    def run(part):
        return translator.translate_batch(part, max_batch_size=batch, beam_size=beam,
                                          length_penalty=1 if beam > 1 else 0,
                                          max_decoding_length=256, max_input_length=0)

    if not repeats:
        for line in lines:
            print(" ".join(run([line])[0].hypotheses[0]), flush=True)
        return
    lines = list(lines)
    run(lines[:batch])
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run(lines)
        times.append(time.perf_counter() - begin)
    print(json.dumps({"system": f"ctranslate2 {ctranslate2.__version__}", "seconds": sorted(times),
                      "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def main():
    if sys.argv[1] == "convert":
        convert(*sys.argv[2:])
    else:
        translate(*sys.argv[2:])


if __name__ == "__main__":
    main()
