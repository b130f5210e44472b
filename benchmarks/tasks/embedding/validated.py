"""Metrics of embedders on lines of text."""

import pathlib
import re
import tempfile

from side_by_side import run_measured


def validated(options, model, test, metric, more=()):
    """A metric of a model on a file of lines, as `weft train embedding` validates it, in an update
    without effect."""
    with tempfile.TemporaryDirectory() as made:
        log, _ = run_measured([
            options.weft, "train", "embedding", "--from", model, "-t", test, "--valid-sets", test,
            "--valid-metrics", metric, "-m", pathlib.Path(made) / "same.safetensors",
            "--learn-rate", "1e-30", "--mini-batch", "4", "--after", "1u", "--threads",
            options.threads, *more])
    return float(re.findall(rf"validation at update 1: {metric} ([\d.]+)", log)[-1])
