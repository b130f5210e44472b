"""The rows of the family's table: the options of each kind, besides those of config.yml."""


BEAM = ("-b", "5", "--normalize", "1")


def kind(*options, updates=1000, search=BEAM, aligns=False, is_distilled=False):
    """`is_distilled`: trained on the teacher's translations instead of the references."""
    return {"options": options, "updates": updates, "search": search, "aligns": aligns,
            "is_distilled": is_distilled}


def choices(option, names, *more):
    return {f"{option} {name}": kind(f"--{option}", name, *more) for name in names}


# Pre-norm allows high learning rates from the start, so that 1,000 updates show more.
TINY = ("--task", "transformer-tiny-prenorm", "--transformer-dropout", "0.1")
# As wide as the Transformer; with LSTMs 0.5 to 0.7 of its parameters.
RECURRENT = ("--dec-depth", "2", "--enc-depth", "2")
TYPES = {
    "transformer": kind(*TINY, updates=4000),
    "rnn": kind("--type", "rnn", *RECURRENT, updates=4000),
    "rnn-attention": kind("--type", "rnn-attention", *RECURRENT, updates=4000),
    "cnn": kind("--type", "cnn", *RECURRENT[:-1], "6", updates=4000),
}
RNN, WITH_ATTENTION = ("--type", "rnn", *RECURRENT), ("--type", "rnn-attention", *RECURRENT)
CELLS = {
    **{f"rnn, {cell}": kind(*RNN, "--rnn-cell", cell) for cell in ("tanh", "relu", "gru", "lstm")},
    **{f"rnn-attention, {cell}": kind(*WITH_ATTENTION, "--rnn-cell", cell)
       for cell in ("gru", "lstm")},
    "rnn-attention, luong": kind(*WITH_ATTENTION, "--rnn-attention", "luong"),
    "rnn-attention, luong, input feeding": kind(*WITH_ATTENTION, "--rnn-attention", "luong",
                                                "--rnn-input-feeding"),
}
TRANSFORMER = {
    "baseline": kind(aligns=True),
    **choices("position", ["none", "index", "learned", "rotary", "relative", "alibi"]),
    "attention local": kind("--attention", "local", "--attention-window", "4"),
    "attention block-sparse": kind("--attention", "block-sparse", "--attention-block", "4",
                                   "--attention-global", "1"),
    **choices("attention", ["linear", "linear-unnormalised", "synthesizer-dense",
                           "synthesizer-random"]),
    "attention linformer, encoder": kind("--attention", "linformer", "--attention-in", "encoder",
                                         "--attention-keys", "8"),
    "attention sinkhorn, encoder": kind("--attention", "sinkhorn", "--attention-in", "encoder",
                                        "--attention-block", "4"),
    "attention clustered, centroids": kind("--attention", "clustered", "--attention-clusters", "4"),
    "attention clustered, hashes": kind("--attention", "clustered", "--attention-clusters", "4",
                                        "--attention-clustering", "hash"),
    **choices("attention-qk-norm", ["rms", "l2"]),
    "grouped-query": kind("--transformer-key-heads", "2"),
    "multi-query": kind("--transformer-key-heads", "1"),
    **choices("attention-activation", ["relu", "relu2", "sigmoid", "sparsemax", "entmax15"]),
    "post-norm": kind("--transformer-norm", "post"),
    "post-norm, deepnorm": kind("--transformer-norm", "post", "--residual-scale", "deepnorm"),
    "drop-path": kind("--drop-path", "0.1"),
    "tied layers": kind("--tied-layers", "1"),
    **choices("norm-kind", ["rms", "batch"]),
    **choices("loss", ["euclidean", "squared-euclidean"]),
    "token weights": kind("--data-weighting", "{weights}", "--data-weighting-type", "word"),
    **{f"scheduled sampling, {decay}": kind("--scheduled-sampling", decay,
                                            "--scheduled-sampling-rate", rate,
                                            "--scheduled-sampling-floor", "0.5")
       for decay, rate in (("linear", "0.0005"), ("exponential", "0.999"),
                           ("inverse-sigmoid", "150"))},
    "r-drop": kind("--r-drop", "5"),
    "teacher's distribution": kind("--teacher", "{teacher}"),
    "teacher's translations": kind(is_distilled=True),
    "teacher's weights": kind("--pretrained-model", "{teacher}"),
    "frozen encoder": kind("--freeze", "model.encoder.*"),
    "mask-predict": kind("--generation", "mask-predict", search=()),
    "parallel": kind("--generation", "parallel", search=()),
    "parallel, up to the end": kind("--generation", "parallel", "--length-from", "end", search=()),
    "ctc": kind("--generation", "ctc", "--label-smoothing", "0", search=()),
    "guided by the diagonal": kind("--guided-attention", "diagonal", aligns=True),
    "guided by the diagonal, one head": kind("--guided-attention", "diagonal",
                                             "--guided-attention-heads", "4.1", aligns=True),
    "guided by the teacher's alignments": kind("--guided-alignment", "{links}", aligns=True),
    "diagonal prior": kind("--attention-prior", "diagonal", aligns=True),
    "monotonic prior": kind("--attention-prior", "monotonic", aligns=True),
}
for row in TRANSFORMER.values():
    row["options"] = (*TINY, *row["options"])
KINDS = {**TYPES, **CELLS, **TRANSFORMER}
TEACHER = "transformer"
