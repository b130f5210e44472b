"""Threads, forks, pickles, and what an import costs."""

from __future__ import annotations

import multiprocessing
import pathlib
import signal
import subprocess
import sys
import threading

import pytest
from conftest import texts

import weft


def test_threads_share_a_model(translator: weft.Model, classifier: weft.Model) -> None:
    some = texts(9, 20)
    expected = [translator.translate(some), translator.translate(some, beam_size=1)]
    labels = [one.label for one in classifier.classify(some)]
    failures = []

    def work(number: int) -> None:
        for _ in range(5):
            found = translator.translate(some, beam_size=5 if number % 2 else 1)
            if found != expected[0 if number % 2 else 1]:
                failures.append(number)
            if [one.label for one in classifier.classify(some)] != labels:
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_other_threads_go_on_while_it_computes(translator: weft.Model) -> None:
    """Python's lock is released: a thread counts while another translates."""
    counted = 0
    is_done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not is_done.wait(0.0005):
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    translator.translate(texts(3, 3000), beam_size=8)
    is_done.set()
    counter.join()
    assert counted > 3


def test_signals_end_a_long_prediction(translator: weft.Model) -> None:
    class Enough(Exception):
        pass

    def end(number: int, frame: object) -> None:
        raise Enough

    many = texts(3, 2000) * 50
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Enough):
            translator.translate(many, beam_size=8)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_child_of_a_fork_computes(translator: weft.Model) -> None:
    some = texts(4, 200)
    weft.set_threads(3)
    try:
        expected = [one.text for one in translator.translate(some)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map_async(_translated, [(translator, some)] * 4).get(60)
    finally:
        weft.set_threads(1)
    assert found == [expected] * 4


def _translated(job: tuple[weft.Model, list[str]]) -> list[str]:
    model, some = job
    return [one.text for one in model.translate(some)]


def test_models_are_pickled_by_their_path(classifier: weft.Model) -> None:
    import copy
    import pickle

    again = pickle.loads(pickle.dumps(classifier))
    assert again.classify("w1").label == classifier.classify("w1").label
    assert copy.deepcopy(classifier).path == classifier.path


def test_predictors_are_kept(translator: weft.Model) -> None:
    translator.translate("w1", beam_size=2)
    kept = len(translator._predictors)
    translator.translate("w2", beam_size=2)
    assert len(translator._predictors) == kept


def test_an_import_takes_nothing_else_with_it() -> None:
    code = (
        "import sys, weft; "
        "print([name for name in ('numpy', 'sklearn', 'pandas', 'logging', 'tqdm') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_example_and_the_package_are_typed(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    here = pathlib.Path(__file__).parent
    for checked in (here / "typed_example.py", here.parent / "weft"):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file",
             str(here.parent / "pyproject.toml"), "--cache-dir", str(tmp_path), str(checked)],
            capture_output=True, text=True,
        )
        assert done.returncode == 0, done.stdout
