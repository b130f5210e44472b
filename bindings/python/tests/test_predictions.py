"""Predictions beside those of the command line: equal bytes."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import labelled, pictures, sound, texts, words

import weft
from weft import _media_files

Program = Callable[..., str]
TEXTS = [*texts(7, 30), "", "w1 unknown w2"]
INPUT = "".join(text + "\n" for text in TEXTS)


def test_translations(translator: weft.Model, program: Program) -> None:
    found = translator.translate(TEXTS)
    assert [one.text for one in found] == program(
        "translate", "-m", translator.path, input=INPUT
    ).splitlines()
    assert translator.translate(TEXTS[0]) == found[0]
    assert str(found[0]) == found[0].text
    assert found[-2].fault is not None and found[-2].fault.kind == "empty"
    assert found[0].fault is None


def test_translations_with_options(translator: weft.Model, program: Program) -> None:
    given: dict[str, Any] = {"beam_size": 3, "n_best": True, "normalize": 0.6, "word_scores": True}
    found = translator.translate(TEXTS, **given)
    lines = program(
        "translate", "-m", translator.path, "--beam-size", "3", "--n-best", "--normalize", "0.6",
        input=INPUT,
    ).splitlines()
    best = [one for result in found for one in result.hypotheses]
    assert [one.text for one in best if one.text] == [
        line.split(" ||| ")[1] for line in lines if line.split(" ||| ")[1]
    ]
    hypothesis = found[0].hypotheses[0]
    assert sum(hypothesis.token_scores) == pytest.approx(hypothesis.log_probability)
    [aligned] = translator.translate(["w1 w2 w3"], alignment="soft")
    [weights] = aligned.hypotheses[0].alignments
    assert weights.dtype == np.float32 and weights.shape[1] == 4
    assert weights.sum(axis=1) == pytest.approx(np.ones(len(weights)), abs=1e-5)


def test_ensembles(translator: weft.Model, program: Program) -> None:
    both = weft.load([translator.path, translator.path])
    assert [one.text for one in both.translate(TEXTS)] == program(
        "translate", "-m", translator.path, translator.path, input=INPUT
    ).splitlines()
    with pytest.raises(weft.OptionError, match="expected one of type 'seq2seq', not an ensemble"):
        both.attention("w1")


def test_scores_of_translations(
    translator: weft.Model, program: Program, tmp_path: pathlib.Path
) -> None:
    pairs = [*zip(texts(8, 20), texts(9, 20)), ("", "w1"), ("w1 w2", "")]
    (tmp_path / "a").write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    found = translator.score(pairs)
    assert [f"{one.log_probability:.6f}" for one in found] == program(
        "score", "-m", translator.path, "--tsv", "-t", str(tmp_path / "a")
    ).splitlines()
    assert translator.score(pairs[0]) == found[0]
    [score] = found[0].scores
    assert score.tokens == len(pairs[0][1].split()) + 1 and score.bytes == len(pairs[0][1])
    [bad] = translator.score([("w1", "w1 \udcff")])
    assert bad.fault is not None and bad.fault.kind == "not-utf-8" and not bad.scores
    assert translator.score([]) == []
    for wrong in ("w1", [("w1",)], [("w1", "w2", "w3")], ["w1", 2]):
        with pytest.raises(TypeError, match="expected two texts"):
            translator.score(wrong)  # type: ignore[call-overload]
    with pytest.raises(weft.OptionError, match="continuations: expected a language model"):
        translator.score("w1", ["w2"])


def test_views(tmp_path: pathlib.Path, program: Program) -> None:
    views = pictures(5, 12)
    pairs = [(views[2 * i], views[2 * i + 1], float(i)) for i in range(6)]
    settings: dict[str, Any] = {
        "after": "1u", "patch_size": 4, "dim_emb": 16, "transformer_heads": 2, "enc_depth": 1,
        "dec_depth": 1, "transformer_dim_ffn": 16, "precision": "float32",
    }
    trained = {}
    for objective, data in (("completion", [one[:2] for one in pairs]), ("motion", pairs)):
        path = tmp_path / f"{objective}.safetensors"
        weft.train("cross-view", data, model=path, objective=objective, **settings)
        trained[objective] = weft.load(path)
    paths = []
    for i, (first, second, _) in enumerate(pairs):
        names = [tmp_path / f"{i}-{side}.png" for side in ("first", "second")]
        for name, pixels in zip(names, (first, second)):
            name.write_bytes(_media_files.png(pixels))
        paths.append(tuple(names))
    (tmp_path / "list").write_text("".join(f"{a}\t{b}\n" for a, b in paths))
    given = ["-i", str(tmp_path / "list")]

    completed = trained["completion"].complete([one[:2] for one in pairs])
    assert [f"{i + 1}\t{one.error:.6f}" for i, one in enumerate(completed)] == program(
        "complete", "-m", trained["completion"].path, *given
    ).splitlines()
    assert completed[0].completed.dtype == np.uint8
    assert completed[0].completed.shape == completed[0].masked.shape
    again = trained["completion"].complete(paths)
    assert [one.error for one in again] == [one.error for one in completed]
    assert np.array_equal(again[3].completed, completed[3].completed)

    motions = trained["motion"].motion(paths)
    assert [f"{one.numbers[0]:.6f}" for one in motions] == program(
        "motion", "-m", trained["motion"].path, *given
    ).splitlines()
    with pytest.raises(weft.OptionError, match="expected --objective motion"):
        trained["completion"].motion(paths)
    with pytest.raises(TypeError, match="pair: expected two pictures"):
        trained["motion"].motion([paths[0][0]])  # type: ignore[list-item]
    with pytest.raises(weft.FileError):
        trained["motion"].motion([(tmp_path / "none.png", paths[0][0])])


def test_evaluation_of_models(
    classifier: weft.Model, program: Program, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "labelled.tsv"
    file.write_text("".join(f"{label}\t{text}\n" for text, label in labelled(9, 20)))
    options = ["--format", "tsv"]
    printed = program("classify", "-m", classifier.path, "--evaluate", str(file), *options)
    found = classifier.evaluate(file, format="tsv")
    assert found.text == repr(found) == printed
    options.append("--json")
    as_json = program("classify", "-m", classifier.path, "--evaluate", str(file), *options)
    assert dict(found) == json.loads(as_json)
    assert not found.predictions
    kept = classifier.evaluate([file], predictions=True, format="tsv").predictions
    right = sum(one["expected"] == one["labels"] for one in kept)
    assert right == round(found["accuracy"] * 20)
    with pytest.raises(weft.OptionError, match="word-labels: unknown option"):
        classifier.evaluate(file, word_labels=[1])
    with pytest.raises(weft.FileError):
        classifier.evaluate(tmp_path / "none.tsv")


def test_evaluation(program: Program, tmp_path: pathlib.Path) -> None:
    hypotheses, references = texts(1, 20), texts(2, 20)
    others = [*references[:10], *hypotheses[10:]]
    for name, lines in (("h", hypotheses), ("r", references), ("o", others)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))

    def printed(*options: str) -> list[dict[str, Any]]:
        given = ["--json", "-i", str(tmp_path / "h"), "-r", str(tmp_path / "r"), *options]
        found: list[dict[str, Any]] = json.loads(program("evaluate", *given))
        return found

    bleu, chrf = weft.evaluate(hypotheses, references)
    assert [vars(bleu), vars(chrf)] == printed()
    found = weft.evaluate(hypotheses, [references, others], metrics=["chrf"], chrf_word_order=2)
    assert [vars(one) for one in found] == printed(
        str(tmp_path / "o"), "--metrics", "chrf", "--chrf-word-order", "2"
    )
    [errors] = weft.evaluate(hypotheses, references, metrics="word-error-rate")
    assert errors.score > 0 and str(errors) == errors.text
    with pytest.raises(weft.FormatError, match=r"references\[0\]: 19 lines; expected 20"):
        weft.evaluate(hypotheses, references[1:])
    with pytest.raises(weft.OptionError, match="metrics"):
        weft.evaluate(hypotheses, references, metrics="blue")
    with pytest.raises(weft.OptionError, match="expected one file for word-error-rate, got 2"):
        weft.evaluate(hypotheses, [references, others], metrics="word-error-rate")
    with pytest.raises(weft.OptionError, match="chrf-word-order"):
        weft.evaluate(hypotheses, references, metrics="bleu", chrf_word_order=2)


def test_labels_of_texts(classifier: weft.Model, program: Program) -> None:
    found = classifier.classify(TEXTS)
    assert [one.label or "" for one in found] == program(
        "classify", "-m", classifier.path, input=INPUT
    ).splitlines()
    assert sorted(classifier.labels) == ["class 0", "class 1", "class 2"]
    assert found[0].probabilities.dtype == np.float32
    assert found[0].probabilities.sum() == pytest.approx(1)
    assert classifier.labels[found[0].probabilities.argmax()] == found[0].label
    examples = labelled(1, 300)
    right = sum(
        result.label == label
        for result, (_, label) in zip(classifier.classify([text for text, _ in examples]), examples)
    )
    assert right > 200, "it has learned"


def test_labels_of_pairs(pair_classifier: weft.Model, program: Program) -> None:
    pairs = [f"{a}\t{b}" for a, b in zip(texts(3, 10), texts(4, 10))]
    assert [one.label for one in pair_classifier.classify(pairs)] == program(
        "classify", "-m", pair_classifier.path, input="\n".join(pairs) + "\n"
    ).splitlines()


def test_a_text_with_line_breaks_is_one_text(classifier: weft.Model) -> None:
    broken, plain = classifier.classify(["w1\nw2\tw3", "w1 w2 w3"])
    assert (broken.probabilities == plain.probabilities).all()


def test_tags(tagger: weft.Model, program: Program) -> None:
    found = tagger.tag(TEXTS[:30])
    assert [" ".join(one.labels) for one in found] == program(
        "tag", "-m", tagger.path, input="".join(text + "\n" for text in TEXTS[:30])
    ).splitlines()
    known = words(7, 30)
    assert [one.labels for one in tagger.tag(known)] == [one.labels for one in found]
    assert [one.words for one in found] == known
    assert len(tagger.tag("w1 w2", scores=True).columns[0].probabilities) == 2
    assert tagger.tag([["w 1", "w2"]])[0].words == ["w 1", "w2"]


def test_vectors(embedder: weft.Model, program: Program, folder: pathlib.Path) -> None:
    found = embedder.embed(TEXTS)
    assert found.shape == (len(TEXTS), 16) and found.dtype == np.float32
    (folder / "texts.txt").write_text(INPUT)
    program("embed", "-m", embedder.path, "-i", "texts.txt", "-o", "vectors.npy")
    assert (np.load(folder / "vectors.npy") == found).all()
    assert (embedder.embed(TEXTS[0]) == found[0]).all() and embedder.embed(TEXTS[0]).ndim == 1
    vectors, faults = embedder.embed_with_faults(["w1", "w1 \udcff"])
    assert faults[0] is None and faults[1] is not None and faults[1].kind == "not-utf-8"
    assert (vectors[1] == 0).all() and (vectors[0] != 0).any()
    assert not vectors.flags.owndata and vectors.base is not None, "no copy"
    del vectors
    assert embedder.embed([]).shape == (0, 16)


def test_hard_negatives(embedder: weft.Model, program: Program, folder: pathlib.Path) -> None:
    pairs = [("w1 w2", "w1"), ("w3", "w3 w4"), ("w3", "w5"), ("w6 w7", "w7 w6")]
    others = ["w2 w1", "w0", "w3"]
    (folder / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    (folder / "others.txt").write_text("".join(one + "\n" for one in others))
    found = embedder.mine_negatives(pairs, others, negatives=2, margin="auto")
    lines = program(
        "mine", "-m", embedder.path, "-i", "pairs.tsv", "--corpus", "others.txt", "--negatives",
        "2", "--margin", "auto",
    ).splitlines()
    assert ["\t".join([*pair, *texts]) for pair, texts in zip(pairs, found)] == lines
    assert not {"w3 w4", "w5", "w3"} & {*found[1], *found[2]}
    assert embedder.mine_negatives(pairs[:1]) == [[]]
    for wrong in ([("w1",)], ("w1", "w2"), [("w1", 2)]):
        with pytest.raises(TypeError, match="two texts"):
            embedder.mine_negatives(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="several texts"):
        embedder.mine_negatives(pairs, "w1")


def test_continuations(language_model: weft.Model, program: Program) -> None:
    prompts = ["w1 w2", "w3", "w4 w5 w6"]
    given: dict[str, Any] = {"max_length": 5, "top_k": 1}
    found = language_model.generate(prompts, **given)
    lines = program(
        "generate", "-m", language_model.path, "--max-length", "5", "--top-k", "1",
        input="".join(one + "\n" for one in prompts),
    ).splitlines()
    assert [one.text for one in found] == lines
    drawn = [language_model.generate("w1", samples=3, seed=5, max_length=4) for _ in range(2)]
    assert drawn[0] == drawn[1] and len(drawn[0].texts) == 3


def test_streams(language_model: weft.Model, translator: weft.Model) -> None:
    whole = language_model.generate("w1 w2", max_length=6, top_k=1)
    stream = language_model.stream("w1 w2", max_length=6, top_k=1)
    assert "".join(stream) == whole.text
    assert stream.result.text == whole.text
    for seed in range(20):  # until one does not end at once
        with language_model.stream("w1", max_length=400, temperature=9.0, seed=seed) as left_early:
            piece = next(left_early, None)
        assert list(left_early) == []
        if piece:
            break
    assert piece
    translated = translator.stream("w1 w2 w3")
    assert "".join(translated) == translator.translate("w1 w2 w3").text
    assert translated.result.text == translator.translate("w1 w2 w3").text
    with pytest.raises(weft.OptionError, match="samples"):
        list(language_model.stream("w1", samples=2))


def test_chat_needs_a_template(language_model: weft.Model) -> None:
    with pytest.raises(weft.Error, match="template"):
        language_model.chat()


def test_chats(chat_model: weft.Model, program: Program) -> None:
    given: dict[str, Any] = {"max_length": 12, "temperature": 2.0, "seed": 3}
    chat = chat_model.chat("be kind", **given)
    first = chat.say("w1 w2")
    streamed = chat.stream("w3")
    second = "".join(streamed)
    assert streamed.result.text == second
    flags = ["--max-length", "12", "--temperature", "2", "--seed", "3"]
    lines = program(
        "generate", "-m", chat_model.path, "--chat", "--system", "be kind", *flags,
        input="w1 w2\n",
    ).splitlines()
    assert [first.text] == lines
    messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": "w1 w2"}]
    assert chat_model.answer(messages, **given).text == first.text
    answers = chat_model.answer([messages, messages[1:]], **given)
    assert len(answers) == 2 and answers[0].text == first.text
    assert chat.forgotten == 0
    chat.clear()
    assert chat.say("w1 w2") == first


def test_filled_masks(masked_lm: weft.Model, program: Program) -> None:
    masked = ["w1 [MASK] w2", "[MASK]"]
    found = masked_lm.fill(masked, top=2)
    assert [one.text for one in found] == program(
        "fill", "-m", masked_lm.path, input="".join(one + "\n" for one in masked)
    ).splitlines()
    assert [len(mask) for mask in found[0].masks] == [2]
    missing = masked_lm.fill("w1 w2")
    assert missing.fault is not None and missing.fault.kind == "no-mask"


def test_scores(language_model: weft.Model, program: Program, folder: pathlib.Path) -> None:
    some = texts(5, 5)
    (folder / "scored.txt").write_text("".join(text + "\n" for text in some))
    lines = program("score", "-m", language_model.path, "-t", "scored.txt").splitlines()
    found = language_model.score(some)
    for result, line in zip(found, lines):
        assert result.log_probability == pytest.approx(float(line.split()[0]), rel=1e-4)
        assert result.scores[0].perplexity > 1
    given = language_model.score("w1 w2", continuations=[" w3", " w4 w5"])
    assert len(given.scores) == 2


def test_transcripts(transcriber: weft.Model, program: Program, folder: pathlib.Path) -> None:
    paths = []
    for number in range(3):
        paths.append(str(folder / f"{number}.wav"))
        samples, rate = sound(number)
        pathlib.Path(paths[-1]).write_bytes(_media_files.wav(samples, rate))
    of_files = transcriber.transcribe(paths)
    assert [one.text for one in of_files] == program(
        "transcribe", "-m", transcriber.path, input="".join(path + "\n" for path in paths)
    ).splitlines()
    of_arrays = transcriber.transcribe([sound(0), paths[1], sound(2)])
    assert [one.text for one in of_arrays] == [one.text for one in of_files]
    assert transcriber.transcribe(sound(1)).seconds == pytest.approx(0.5)
    samples, rate = sound(1)
    stereo = np.stack([samples, samples], axis=1)
    assert transcriber.transcribe((stereo, rate)) == of_arrays[1]
    with pytest.raises(weft.NumericError, match="finite"):
        transcriber.transcribe((np.full(100, np.nan, np.float32), 8000))


def test_pictures(picture_classifier: weft.Model, program: Program, folder: pathlib.Path) -> None:
    some = pictures(3, 4)
    paths = [str(folder / f"{number}.png") for number in range(4)]
    for path, pixels in zip(paths, some):
        pathlib.Path(path).write_bytes(_media_files.png(pixels))
    found = picture_classifier.classify(some)
    assert [one.label for one in found] == program(
        "classify", "-m", picture_classifier.path, input="".join(path + "\n" for path in paths)
    ).splitlines()
    mixed = picture_classifier.classify([paths[0], some[1]])
    assert [one.label for one in mixed] == [one.label for one in found[:2]]
    assert (picture_classifier.classify(some[2]).probabilities == found[2].probabilities).all()
    with pytest.raises(TypeError, match="expected an array of uint8, got float32"):
        picture_classifier.classify([some[0], np.zeros((8, 8, 1), np.float32)])


def test_vectors_are_classified(vector_classifier: weft.Model) -> None:
    some = [np.full((3, 2), i, np.float32) for i in range(3)]
    assert len(vector_classifier.classify(some)) == 3
    assert vector_classifier.classify(some[0]).fault is None


def test_detections(detector: weft.Model, program: Program, folder: pathlib.Path) -> None:
    some = pictures(4, 3)
    paths = [str(folder / f"d{number}.png") for number in range(3)]
    for path, pixels in zip(paths, some):
        pathlib.Path(path).write_bytes(_media_files.png(pixels))
    found = detector.detect(some, threshold=0.001)
    assert found == detector.detect(paths, threshold=0.001)
    assert all(one.objects for one in found)
    lines = program(
        "detect", "-m", detector.path, "--threshold", "0.001",
        input="".join(path + "\n" for path in paths),
    ).splitlines()
    shown = [json.loads(line) for line in lines]
    assert len(shown) == 3
    assert detector.labels == ["thing"]


def test_attention_and_pages(translator: weft.Model, classifier: weft.Model) -> None:
    maps = translator.attention("w1 w2 w3")
    assert {(one.stack, one.role) for one in maps} >= {("encoder", "self"), ("decoder", "cross")}
    for one in maps:
        assert one.weights.shape == (2, len(one.queries), len(one.keys))
        assert one.weights.sum(axis=2) == pytest.approx(np.ones(one.weights.shape[:2]), abs=1e-5)
    inspection = classifier.inspect(["w1 w2", "w3"])
    assert inspection.data and "<html" in inspection.page
    shown = inspection._repr_html_()
    assert shown.startswith("<iframe") and "srcdoc=" in shown and "<script" not in shown
    table = classifier._repr_html_()
    assert "3 labels" in table and "classifier" in table
    assert "classifier" in repr(classifier) and "parameters" in classifier.summary()


def test_attention_shows_itself(translator: weft.Model) -> None:
    one = translator.attention("w1 w2 w3")[-1]
    shown = one._repr_html_()
    assert f"{one.stack}, {one.role}, layer {one.layer}: mean of 2 heads" in shown
    assert shown.count("<tr>") == 1 + len(one.queries)
    assert shown.count("<td ") == len(one.queries) * len(one.keys)
    assert f"title='{one.weights.mean(axis=0)[0, 0]:.3f}'" in shown
    odd = weft.AttentionMap("encoder", "self", 0, ["<b>"], ["&"], np.ones((1, 1, 1), np.float32))
    assert "<th>&lt;b&gt;</th>" in odd._repr_html_() and ">&amp;<" in odd._repr_html_()
    weights = np.full((2, 50, 300), 1 / 300, np.float32)
    many = weft.AttentionMap("encoder", "self", 0, [], [], weights)._repr_html_()
    assert "the first of 50 queries and 300 keys" in many and many.count("<td ") == 40 * 40
