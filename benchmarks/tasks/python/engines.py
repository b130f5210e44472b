#!/usr/bin/env python3
"""One library of Python at one task: what peers.py runs, each in a process of its own.

    python engines.py TASK ENGINE MODEL FOLDER THREADS

TASK and ENGINE are a pair of ENGINES below. FOLDER has the inputs: lines.txt of `translate` and
`embed`, train.tsv and test.tsv of `classify`. Writes FOLDER/answers.TASK.ENGINE.txt, a line for
each input, and prints JSON: the seconds of loading (or of training), those of the answers, the
processor's seconds of both, by all threads together, and the version. Imports are not in them.
"""

import json
import os
import pathlib
import resource
import sys
import tempfile
import time
from importlib.metadata import version

BEAM, BATCH, LENGTH = 4, 32, 20  # of translations, in tokens


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(call):
    """(what the call returns, its seconds)"""
    began = time.perf_counter()
    found = call()
    return found, round(time.perf_counter() - began, 4)


class Engine:
    """Answers lines by a model; a subclass imports its library as it is made."""

    def load(self, model, threads):
        raise NotImplementedError

    def answer(self, lines):
        raise NotImplementedError

    def run(self, model, folder, threads):
        lines = (folder / "lines.txt").read_text(encoding="utf8").splitlines()
        before = processor_seconds()
        _, loading = timed(lambda: self.load(model, threads))
        answers, seconds = timed(lambda: self.answer(lines))
        used = round(processor_seconds() - before, 3)
        return answers, {"load_s": loading, "seconds": seconds, "processor_s": used}


class WeftTranslator(Engine):
    def __init__(self, precision="float32"):
        import weft
        self.weft, self.system, self.precision = weft, version("weft"), precision

    def load(self, model, threads):
        self.weft.set_threads(threads)
        self.model = self.weft.load(model, precision=self.precision)

    def answer(self, lines):
        return [one.text for one in self.model.translate(
            lines, beam_size=BEAM, mini_batch=BATCH, min_length=LENGTH,
            max_output_length=LENGTH + 1, allow_unk=True)]


class CTranslate2(Engine):
    """Of a folder that decoding/ct2_peer.py has written beside the model, MODEL.ct2."""

    def __init__(self, kind="float32"):
        import ctranslate2
        self.library, self.system, self.kind = ctranslate2, version("ctranslate2"), kind

    def load(self, model, threads):
        self.model = self.library.Translator(f"{model}.ct2", compute_type=self.kind,
                                             intra_threads=threads, inter_threads=1)

    def answer(self, lines):
        sources = [[*line.split(), "</s>"] for line in lines]
        found = self.model.translate_batch(
            sources, max_batch_size=BATCH, beam_size=BEAM, length_penalty=1, max_input_length=0,
            min_decoding_length=LENGTH, max_decoding_length=LENGTH)
        return [" ".join(one.hypotheses[0]) for one in found]


class MarianTransformers(Engine):
    """Of a folder that `weft convert --to-hf` has written beside the model, MODEL.hf."""

    def __init__(self):
        import torch
        from transformers import MarianMTModel
        self.torch, self.kind, self.system = torch, MarianMTModel, version("transformers")

    def load(self, model, threads):
        self.torch.set_num_threads(threads)
        folder = pathlib.Path(f"{model}.hf")
        self.model = self.kind.from_pretrained(folder).eval()
        self.source = json.loads((folder / "vocab.json").read_text())
        target = folder / "target_vocab.json"
        words = json.loads(target.read_text()) if target.exists() else self.source
        self.words = {number: word for word, number in words.items()}

    def answer(self, lines):
        config, torch = self.model.config, self.torch
        sources = [[*(self.source.get(word, self.source["<unk>"]) for word in line.split()),
                    config.eos_token_id] for line in lines]
        special = {config.pad_token_id, config.eos_token_id}
        order = sorted(range(len(lines)), key=lambda i: len(sources[i]))
        out = [""] * len(lines)
        with torch.no_grad():
            for begin in range(0, len(order), BATCH):
                rows = order[begin:begin + BATCH]
                width = max(len(sources[i]) for i in rows)
                pad = [width - len(sources[i]) for i in rows]
                ids = torch.tensor([sources[i] + [config.pad_token_id] * n
                                    for i, n in zip(rows, pad)])
                mask = torch.tensor([[1] * len(sources[i]) + [0] * n for i, n in zip(rows, pad)])
                found = self.model.generate(input_ids=ids, attention_mask=mask, num_beams=BEAM,
                                            do_sample=False, min_new_tokens=LENGTH,
                                            max_new_tokens=LENGTH)
                for i, row in zip(rows, found.tolist()):
                    out[i] = " ".join(self.words[x] for x in row if x not in special)
        return out


class Embedder(Engine):
    """Answers are the vectors, in eight digits."""

    def vectors(self, lines):
        raise NotImplementedError

    def answer(self, lines):
        return list(self.vectors(lines))

    def run(self, model, folder, threads):
        answers, figures = super().run(model, folder, threads)
        return [" ".join(f"{x:.8g}" for x in one) for one in answers], figures


class WeftVectors(Embedder):
    def __init__(self, precision="float32"):
        import weft
        self.weft, self.system, self.precision = weft, version("weft"), precision

    def load(self, model, threads):
        self.weft.set_threads(threads)
        self.model = self.weft.load(model, precision=self.precision)

    def vectors(self, lines):
        return self.model.embed(lines)


class SentenceTransformers(Embedder):
    def __init__(self):
        import torch
        from sentence_transformers import SentenceTransformer
        self.torch, self.kind = torch, SentenceTransformer
        self.system = version("sentence-transformers")

    def load(self, model, threads):
        self.torch.set_num_threads(threads)
        self.model = self.kind(model, device="cpu")

    def vectors(self, lines):
        return self.model.encode(lines, batch_size=BATCH, show_progress_bar=False)


class FastEmbed(Embedder):
    """Of the folder MODEL.onnx: the model's files, and model.onnx, fused as peer_speed.py does."""

    def __init__(self):
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType
        self.kind, self.system = TextEmbedding, version("fastembed")
        TextEmbedding.add_custom_model("local", PoolingType.MEAN, True, ModelSource(hf="local"),
                                       384, "model.onnx")

    def load(self, model, threads):
        self.model = self.kind("local", specific_model_path=f"{model}.onnx", threads=threads,
                               providers=["CPUExecutionProvider"])

    def vectors(self, lines):
        return list(self.model.embed(lines, batch_size=BATCH))


class Classifier:
    """Trains on FOLDER/train.tsv and labels FOLDER/test.tsv, of lines `label TAB text`."""

    def fit(self, model, texts, labels, threads):
        raise NotImplementedError

    def predict(self, texts):
        raise NotImplementedError

    def run(self, model, folder, threads):
        train, test = ([line.split("\t", 1) for line in
                        (folder / f"{name}.tsv").read_text(encoding="utf8").splitlines()]
                       for name in ("train", "test"))
        _, training = timed(lambda: self.fit(model, [text for _, text in train],
                                             [label for label, _ in train], threads))
        answers, seconds = timed(lambda: self.predict([text for _, text in test]))
        right = sum(str(a) == b for a, (b, _) in zip(answers, test))
        return list(map(str, answers)), {"train_s": training, "seconds": seconds,
                                         "accuracy": round(right / len(test), 4)}


class WeftClassification(Classifier):
    def __init__(self, **options):
        import weft
        self.weft, self.options, self.system = weft, options, version("weft")

    def fit(self, model, texts, labels, threads):
        self.weft.set_threads(threads)
        kind = self.weft.WeftClassifier
        self.model = kind(model, random_state=1, **self.options).fit(texts, labels)

    def predict(self, texts):
        return self.model.predict(texts)


class SetFit(Classifier):
    """Its defaults, but at most 20 pairs of each text and kind, as in its paper."""

    def __init__(self):
        import torch
        from datasets import Dataset
        from setfit import SetFitModel, Trainer, TrainingArguments
        self.torch, self.data, self.kind, self.trainer, self.arguments = (
            torch, Dataset, SetFitModel, Trainer, TrainingArguments)
        self.system = version("setfit")

    def fit(self, model, texts, labels, threads):
        self.torch.set_num_threads(threads)
        self.model = self.kind.from_pretrained(model, device="cpu")
        examples = self.data.from_dict({"text": texts, "label": labels})
        with tempfile.TemporaryDirectory() as folder:
            arguments = self.arguments(
                output_dir=folder, batch_size=16, num_epochs=1, num_iterations=20, seed=1,
                save_strategy="no", report_to="none", show_progress_bar=False)
            self.trainer(model=self.model, args=arguments, train_dataset=examples).train()

    def predict(self, texts):
        return self.model.predict(texts)


class LinearSvm(Classifier):
    def __init__(self):
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC
        self.model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
                                   LinearSVC())
        self.system = version("scikit-learn")

    def fit(self, model, texts, labels, threads):
        self.model.fit(texts, labels)

    def predict(self, texts):
        return self.model.predict(texts)


ENGINES = {
    "translate": {
        "weft": WeftTranslator, "weft-int8": lambda: WeftTranslator("int8"),
        "ctranslate2": CTranslate2, "ctranslate2-int8": lambda: CTranslate2("int8"),
        "transformers": MarianTransformers},
    "embed": {
        "weft": WeftVectors, "weft-int8": lambda: WeftVectors("int8"),
        "sentence-transformers": SentenceTransformers, "fastembed": FastEmbed},
    "classify": {
        "weft": WeftClassification,
        "weft-contrastive": lambda: WeftClassification(contrastive=True),
        "setfit": SetFit, "tf-idf-svm": LinearSvm},
}


def main():
    task, name, model, folder, threads = sys.argv[1:]
    os.environ["OMP_NUM_THREADS"] = threads
    folder = pathlib.Path(folder)
    engine = ENGINES[task][name]()
    answers, figures = engine.run(model, folder, int(threads))
    (folder / f"answers.{task}.{name}.txt").write_text(
        "".join(f"{one}\n" for one in answers), encoding="utf8")
    print(json.dumps(figures | {"version": engine.system}))


if __name__ == "__main__":
    main()
