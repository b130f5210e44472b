"""Models of every kind, loaded for prediction."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from . import _display, _log, _options, _rows, _weft
from ._chat import Chat
from ._evaluation import Evaluation
from ._inputs import Many, Pair, Picture, Sound, conversation, is_conversation, is_pair, is_sound
from ._inputs import has_vectors, pair, sound, view_pairs
from ._inspection import Inspection
from ._runs import Ways, run, run_mixed, run_of_pictures, run_of_vectors
from ._stream import Stream
from .errors import OptionError
from .results import (
    AttentionMap,
    Classification,
    CompletedView,
    Detection,
    Fault,
    FilledText,
    Generation,
    ScoredText,
    TaggedText,
    Transcript,
    Translation,
    ViewMotion,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Path = str | bytes | os.PathLike[str]
Message = Mapping[str, str]

_MOST_PREDICTORS = 16  # that a model keeps


def load(path: Path | Sequence[Path], **options: Any) -> Model:
    """Loads a model file of Weft, a folder of Hugging Face Transformers, or a GGUF file.

    Several paths are an ensemble, of translators, classifiers or taggers. Options: `precision`, the
    type of weights in memory ("auto", "float32", "bfloat16", "int8", "int4"), and of a language
    model `lora`, an adapter.

    Raises FileError, FormatError for a damaged file, and OptionError.
    """
    _log.start()
    paths = [path] if isinstance(path, (str, bytes, os.PathLike)) else list(path)
    if not paths:
        raise OptionError("path: none; expected at least one")
    given = _options.plain(options)
    return Model([_weft.load(one, given) for one in paths], given)


def _load_again(paths: list[str], options: dict[str, Any]) -> Model:
    return load(paths, **options)


class Model:
    """A model, which any number of threads may use. Made by `weft.load`.

    The methods take one input and return one result, or take several, in a list, a tuple, a pandas
    Series or any other iterable, and return a list of as many results, in their order. A result has
    a `fault` where its input has none; what was cropped or left out is logged to the logger "weft".
    Options are those of the command of the same name. All methods raise OptionError for a model of
    another kind and for options that are unknown or out of range.

    A pickle has the path of the file, not the weights.
    """

    def __init__(self, handles: list[_weft.Model], options: dict[str, Any]) -> None:
        self._handles = handles
        self._load_options = options
        self._predictors: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def path(self) -> str:
        """The file or folder; of an ensemble the first."""
        return self._handles[0].path

    @property
    def kind(self) -> str:
        """ "seq2seq", "classifier", "tagger", "transcriber", "detector", "cross-view",
        "language-model", "embedder" or "masked-lm"."""
        return self._handles[0].kind

    @property
    def options(self) -> dict[str, Any]:
        """The options of the model, from its file."""
        import json

        options: dict[str, Any] = json.loads(self._handles[0].options)
        return options

    @property
    def labels(self) -> list[str]:
        """What a classifier or detector tells apart, in the order of probabilities; of a tagger
        those of its first column. Empty for other kinds."""
        return self._handles[0].labels(0)

    def labels_of(self, column: int) -> list[str]:
        """The labels of a column of a tagger."""
        return self._handles[0].labels(column)

    @overload
    def translate(self, texts: str, **options: Any) -> Translation: ...
    @overload
    def translate(self, texts: Iterable[str], **options: Any) -> list[Translation]: ...
    def translate(self, texts: Many[str], **options: Any) -> Translation | list[Translation]:
        """Translates texts.

        Options: `beam_size`, `normalize`, `n_best`, `word_scores`, `alignment`, ..., as of
        `weft translate`. Raises TypeError for inputs that are not str, and FileError and
        FormatError for a file that an option names.
        """
        predictor = self._predictor(_weft.Translator, self._handles, options)
        found: Translation | list[Translation]
        found = run(predictor.translate, texts, _rows.translation)
        return found

    @overload
    def classify(self, inputs: str | Picture, **options: Any) -> Classification: ...
    @overload
    def classify(self, inputs: Iterable[str | Picture], **options: Any) -> list[Classification]: ...
    def classify(
        self, inputs: Many[str | Picture], **options: Any
    ) -> Classification | list[Classification]:
        """Labels texts (of a model of pairs, two with a tab between them), or of a model of
        pictures or vectors, paths of files; pictures also as arrays of uint8 [H, W] or [H, W, C]
        (several: [N, H, W] or [N, H, W, C]), sequences of vectors also as arrays of floats [T] or
        [T, channels].

        Options: `threshold`, `max_length`, ..., as of `weft classify`. Raises TypeError for inputs
        of another type, ValueError for arrays of another shape, and ShapeError for pictures of
        another number of channels than the model reads.
        """
        predictor = self._predictor(_weft.Classifier, self._handles, options)
        found: Classification | list[Classification]
        if has_vectors(inputs):
            found = run_of_vectors(predictor, inputs)
        else:
            of_pictures = predictor.classify_pictures
            found = run_of_pictures(
                predictor.classify, of_pictures, inputs, _rows.classification
            )
        return found

    @overload
    def tag(self, texts: str, **options: Any) -> TaggedText: ...
    @overload
    def tag(self, texts: Iterable[str | Sequence[str]], **options: Any) -> list[TaggedText]: ...
    def tag(
        self, texts: str | Iterable[str | Sequence[str]], **options: Any
    ) -> TaggedText | list[TaggedText]:
        """Labels the words of texts: of a text, those between white space; of a list of words, as
        in `tag([["New York", "is", "big"]])`, these.

        Options: `scores`, `invalid_tags`, ..., as of `weft tag`. Raises TypeError for texts or
        words that are not str.
        """
        predictor = self._predictor(_weft.Tagger, self._handles, options)
        given = texts if isinstance(texts, (str, bytes)) else list(texts)
        if isinstance(given, list) and given and not isinstance(given[0], (str, bytes)):
            lists = [list(words) for words in given]
            found: TaggedText | list[TaggedText]
            found = run(predictor.tag_words, lists, _rows.tagged_text)
        else:
            found = run(predictor.tag, given, _rows.tagged_text)
        return found

    def embed(self, texts: Many[str], **options: Any) -> NDArray[np.float32]:
        """The vectors of texts, [E] of one and [N, E] of several, without a copy.

        A text without a vector, such as one that is not UTF-8, has zeros, and is logged. Options:
        `prompt`, `prompt_name`, `dimensions`, `normalise`, ..., as of `weft embed`. Raises
        TypeError for texts that are not str.
        """
        return self.embed_with_faults(texts, **options)[0]

    def embed_with_faults(
        self, texts: Many[str], **options: Any
    ) -> tuple[NDArray[np.float32], list[Fault | None]]:
        """The vectors of texts, and for each why it has none; options and errors as of `embed`."""
        predictor = self._predictor(_weft.Embedder, self._only(), options)
        is_one = isinstance(texts, (str, bytes))
        vectors, faults, news = predictor.embed([texts] if is_one else list(texts))
        _log.tell(news)
        return vectors[0] if is_one else vectors, [_rows.fault(one) for one in faults]

    def mine_negatives(
        self, pairs: Iterable[Pair], corpus: Iterable[str] = (), **options: Any
    ) -> list[list[str]]:
        """Hard negatives for pairs of texts that belong together: for each pair, texts near its
        first that do not belong to it, out of the second texts of all pairs and of `corpus`; none
        where there are fewer than asked for. To learn from them:

            data = [(*pair, *texts) for pair, texts in zip(pairs, found) if texts]
            weft.train("embedding", data=data, ...)

        Options: `negatives`, `skip`, `margin`, `document_prompt`, ..., as of `weft mine`. Raises
        TypeError for a pair that is not two str, and FormatError for texts without a word.
        """
        if isinstance(corpus, (str, bytes)):
            raise TypeError("corpus: expected several texts, got one")
        miner = self._predictor(_weft.NegativeMiner, self._only(), options)
        found: list[list[str]]
        found, news = miner.mine([pair(one) for one in pairs], list(corpus))
        _log.tell(news)
        return found

    @overload
    def fill(self, texts: str, **options: Any) -> FilledText: ...
    @overload
    def fill(self, texts: Iterable[str], **options: Any) -> list[FilledText]: ...
    def fill(self, texts: Many[str], **options: Any) -> FilledText | list[FilledText]:
        """Fills the masks of texts.

        Options: `mask_token`, `top`, ..., as of `weft fill`. Raises TypeError for texts that are
        not str.
        """
        predictor = self._predictor(_weft.MaskFiller, self._only(), options)
        found: FilledText | list[FilledText] = run(
            predictor.fill, texts, _rows.filled_text
        )
        return found

    @overload
    def generate(self, prompts: str, **options: Any) -> Generation: ...
    @overload
    def generate(self, prompts: Iterable[str], **options: Any) -> list[Generation]: ...
    def generate(self, prompts: Many[str], **options: Any) -> Generation | list[Generation]:
        """Continues prompts, and returns the whole continuations; `stream` is the iterator over the
        pieces of one.

        Options: `max_length`, `temperature`, `top_p`, `samples`, `seed`, `beam_size`, ..., as of
        `weft generate`. Raises TypeError for prompts that are not str, and FileError and
        FormatError for a file that an option names.
        """
        predictor = self._predictor(_weft.Generator, self._only(), options)
        found: Generation | list[Generation]
        found = run(predictor.generate, prompts, _rows.generation)
        return found

    def answer(
        self, conversations: Iterable[Message] | Iterable[Iterable[Message]], **options: Any
    ) -> Generation | list[Generation]:
        """The assistant's answer to a conversation, a list of {"role": ..., "content": ...}, or to
        each of a list of conversations, by the model's chat template.

        Options and errors as of `generate`. Raises also ValueError for a message of another form,
        FormatError for a conversation without messages, and OptionError for a model without a chat
        template.
        """
        predictor = self._predictor(_weft.Generator, self._only(), options)
        given: list[Any] = list(conversations)
        is_one = is_conversation(given)
        read = [conversation(one) for one in ([given] if is_one else given)]
        rows, news = predictor.answer(read)
        _log.tell(news)
        results = [_rows.generation(row) for row in rows]
        return results[0] if is_one else results

    def stream(self, text: str, **options: Any) -> Stream[Any]:
        """An iterator over the continuation of a prompt, or the translation of a text, piece by
        piece, as soon as each is decided. Its `result` is a Generation or a Translation.

        Options are those of `generate` and `translate`. Raises what these raise: for options at
        once, for the text from the iterator.
        """
        if self.kind == "seq2seq":
            translator = self._predictor(_weft.Translator, self._handles, options)
            return Stream(lambda take: _rows.translation(translator.stream(text, take)))
        generator = self._predictor(_weft.Generator, self._only(), options)
        return Stream(lambda take: _rows.generation(generator.stream(text, take)))

    def chat(self, system: str = "", **options: Any) -> Chat:
        """A conversation with a language model, after what `system` says first.

        Options are those of `generate`. Raises OptionError for a model without a chat template,
        and FormatError for a damaged one.
        """
        return Chat(_weft.Chat(self._only(), _options.plain(options), system))

    @overload
    def transcribe(self, sounds: Path | Sound, **options: Any) -> Transcript: ...
    @overload
    def transcribe(self, sounds: Iterable[Path | Sound], **options: Any) -> list[Transcript]: ...
    def transcribe(
        self, sounds: Path | Sound | Iterable[Path | Sound], **options: Any
    ) -> Transcript | list[Transcript]:
        """Writes down what is spoken in sounds: paths of files (WAV, FLAC, Ogg, MP3), or pairs
        (samples, rate) of an array [samples] from -1 to 1, or [samples, channels], whose mean is
        taken. Integers are divided by the largest of their type.

        Options: `beam_size`, `ctc_weight`, `max_seconds`, ..., as of `weft transcribe`. Raises
        TypeError for sounds of another type, ValueError for arrays of another shape, OptionError
        for a rate that is not a positive whole number, and NumericError for samples that are not
        finite.
        """
        predictor = self._predictor(_weft.Transcriber, self._only(), options)
        is_one = isinstance(sounds, (str, bytes, os.PathLike)) or is_sound(sounds)
        given: list[Any] = [sounds] if is_one else list(sounds)  # type: ignore[arg-type]
        ways = Ways(
            is_sound,
            lambda some: predictor.transcribe_sounds([sound(one) for one in some]),
            predictor.transcribe,
        )
        results = run_mixed(given, ways, _rows.transcript)
        return results[0] if is_one else results

    @overload
    def detect(self, pictures: Path | Picture, **options: Any) -> Detection: ...
    @overload
    def detect(self, pictures: Iterable[Path | Picture], **options: Any) -> list[Detection]: ...
    def detect(
        self, pictures: Path | Picture | Iterable[Path | Picture], **options: Any
    ) -> Detection | list[Detection]:
        """Finds the objects in pictures: paths of files, or arrays of uint8 [H, W] or [H, W, C]
        (several: [N, H, W] or [N, H, W, C]).

        Options: `threshold`, ..., as of `weft detect`. Raises TypeError for pictures of another
        type, ValueError for arrays of another shape, and ShapeError for a picture of another
        number of channels than the model reads.
        """
        predictor = self._predictor(_weft.Detector, self._only(), options)
        found: Detection | list[Detection] = run_of_pictures(
            predictor.detect, predictor.detect_pictures, pictures, _rows.detection
        )
        return found

    def complete(
        self, pairs: Iterable[tuple[Path | Picture, Path | Picture]], **options: Any
    ) -> list[CompletedView]:
        """Masks patches of the first view of each pair, and predicts them from the rest of it and
        the second view. A view is the path of a file or an array of uint8 [H, W] or [H, W, C].

        Options: `mask_ratio`, `seed`, ..., as of `weft complete`. Raises FileError and FormatError
        for a file that cannot be read.
        """
        predictor = self._predictor(_weft.ViewCompleter, self._only(), options)
        found: list[CompletedView]
        found = run(predictor.complete, view_pairs(pairs), _rows.completed_view)
        return found

    def motion(
        self, pairs: Iterable[tuple[Path | Picture, Path | Picture]], **options: Any
    ) -> list[ViewMotion]:
        """The numbers by which the views of each pair differ, as of `weft motion`; views are those
        of `complete`."""
        predictor = self._predictor(_weft.MotionPredictor, self._only(), options)
        found: list[ViewMotion]
        found = run(predictor.predict, view_pairs(pairs), _rows.view_motion)
        return found

    @overload
    def score(
        self, texts: str | Pair, continuations: Iterable[str] | None = None, **options: Any
    ) -> ScoredText: ...
    @overload
    def score(
        self, texts: Iterable[str | Pair], continuations: None = None, **options: Any
    ) -> list[ScoredText]: ...
    def score(
        self,
        texts: Many[str | Pair],
        continuations: Iterable[str] | None = None,
        **options: Any,
    ) -> ScoredText | list[ScoredText]:
        """Log-probabilities: of texts by a language model, of each of the `continuations` of a
        prompt, and by a translator of translations, pairs (source, target).

        Options: `mini_batch_words`, and of translations `max_length`, as of `weft score`. Raises
        TypeError for what is no str or pair of them. A translator's file is read again, which
        raises FileError and FormatError.
        """
        found: ScoredText | list[ScoredText]
        if self.kind == "seq2seq":
            if continuations is not None:
                raise OptionError("continuations: expected a language model, not a translator")
            scorer = self._predictor(_weft.TranslationScorer, self._only(), options)
            is_one = isinstance(texts, str) or is_pair(texts)
            pairs = [pair(one) for one in ([texts] if is_one else texts)]
            scores: list[ScoredText] = run(scorer.score, pairs, _rows.scored_text)
            return scores[0] if is_one else scores
        predictor = self._predictor(_weft.Scorer, self._only(), options)
        if continuations is not None:
            return _rows.scored_text(predictor.score_continuations(texts, list(continuations)))
        found = run(predictor.score, texts, _rows.scored_text)
        return found

    def evaluate(
        self, files: Path | Sequence[Path], *, predictions: bool = False, **options: Any
    ) -> Evaluation:
        """How good the model is on the examples in files, as training reads them: a classifier,
        tagger, detector, transcriber or model of two views.

        Options are those of `weft classify --evaluate` and so on: how files are read (`format`,
        `text_field`, ...), and `confusion`. With `predictions` the result has them, too.

            model.evaluate("test.tsv")["accuracy"]

        Raises FileError, FormatError, and NumericError where what a model computes is not finite.
        """
        paths = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
        found = _weft.evaluate_models(self._handles, paths, _options.plain(options), predictions)
        return Evaluation(*found)

    def attention(self, text: str, **options: Any) -> list[AttentionMap]:
        """The attention of each layer to a text, or to the file of a path: [heads, queries, keys].

        Options: `max_length`, `beam_size`, ..., as of `weft inspect`. The model's file is read
        again, which raises FileError and FormatError. Raises NumericError where what the model
        computes is not finite.
        """
        given = _options.plain(options)
        return [_rows.attention_map(row) for row in _weft.attention(self._only(), text, given)]

    def inspect(self, texts: Many[str], **options: Any) -> Inspection:
        """What the model does with texts, or with the files of paths, as a page that shows itself
        in a notebook; an input that cannot be read has a note in place of results.

        Options: `max_length`, `beam_size`, `alternatives`, ..., as of `weft inspect`. The model's
        file is read again, which raises FileError and FormatError. Raises TypeError for inputs
        that are not str.
        """
        given = [texts] if isinstance(texts, (str, bytes)) else list(texts)
        return Inspection(*_weft.inspect(self._only(), given, _options.plain(options)))

    def summary(self) -> str:
        """What is in the model's file, as text. The file is read again, which raises FileError and
        FormatError."""
        return _weft.summary(self._only(), False)

    def __repr__(self) -> str:
        paths = [one.path for one in self._handles]
        return f"<weft.Model {self.kind} {', '.join(map(repr, paths))}>"

    def _repr_html_(self) -> str:
        return _display.model_table(self)

    def __reduce__(self) -> tuple[Any, ...]:
        paths = [os.path.abspath(one.path) for one in self._handles]
        return _load_again, (paths, self._load_options)

    def _only(self) -> _weft.Model:
        if len(self._handles) > 1:
            raise OptionError(f"models: expected one of type '{self.kind}', not an ensemble")
        return self._handles[0]

    def _predictor(self, make: Any, model: Any, options: Mapping[str, Any]) -> Any:
        """That of these options, made at the first call with them."""
        given = _options.plain(options)
        key = (make, _options.key(given))
        with self._lock:
            if key in self._predictors:
                self._predictors.move_to_end(key)
                return self._predictors[key]
        predictor = make(model, given)
        with self._lock:
            self._predictors[key] = predictor
            if len(self._predictors) > _MOST_PREDICTORS:
                self._predictors.popitem(last=False)
        return predictor
