#!/usr/bin/env python3
"""Golden numbers of average precision, from pycocotools.

    python3 tools/golden/average_precision.py

Writes tests/golden/average_precision.json: cases of pictures, each with expected boxes [label, x,
y, width, height] and detected ones [label, score, x, y, width, height], and "at_50", "at_75" and
"mean" of COCOeval for boxes of any size, and "labels", the mean of each label, -1 for one without
a box. Requires pycocotools; the tests only read the file.
"""
import contextlib
import io
import json
import pathlib
import random

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def random_box(rng):
    width, height = rng.randint(4, 40), rng.randint(4, 40)
    return [rng.randint(0, 60), rng.randint(0, 60), width, height]


def moved(rng, box, by):
    """Near a box, by quarters so that each number is exact."""
    x, y, width, height = [side + rng.randint(-by, by) / 4 for side in box]
    return [x, y, max(1, width), max(1, height)]


def picture(rng, labels, most, by):
    expected = [[rng.randrange(labels), *random_box(rng)] for _ in range(rng.randint(0, most))]
    detected = []
    for label, *box in expected:
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            given = label if rng.random() < 0.8 else rng.randrange(labels)
            detected.append([given, rng.randint(1, 50) / 50, *moved(rng, box, by)])  # equal scores
    for _ in range(rng.randint(0, 3)):
        detected.append([rng.randrange(labels), rng.randint(1, 50) / 50, *random_box(rng)])
    return {"expected": expected, "detected": detected}


def crowded(rng):
    """More detections of a label than count."""
    one = picture(rng, 1, 3, 6)
    one["detected"] += [[0, rng.random(), *random_box(rng)] for _ in range(130)]
    return one


def exact_recalls(rng, boxes):
    """Found boxes and others at descending scores: the recall takes every value k / boxes."""
    expected = [[0, 10 * i, 0, 8, 8] for i in range(boxes)]
    detected = []
    for _, *box in expected:
        detected.append(box)
        detected += [[*box[:1], 50, 8, 8]] * (rng.random() < 0.4)
    return {"expected": expected, "detected": [[0, 1 - i / 256, *box]
                                               for i, box in enumerate(detected[:100])]}


def exact_overlaps():
    """Boxes whose IoU is that of a threshold, 0.5 to 0.95."""
    expected = [[0, 30 * i, 0, 20, 20] for i in range(10)]
    detected = [[0, 1 - i / 16, 30 * i, 0, 10 + i, 20] for i in range(10)]
    return {"expected": expected, "detected": detected}


def evaluate(pictures, labels):
    truth = COCO()
    annotations = [{"id": 0, "image_id": i, "category_id": label, "bbox": box, "iscrowd": 0,
                    "area": box[2] * box[3]}
                   for i, one in enumerate(pictures) for label, *box in one["expected"]]
    for number, annotation in enumerate(annotations, 1):
        annotation["id"] = number
    truth.dataset = {"images": [{"id": i} for i in range(len(pictures))],
                     "categories": [{"id": i, "name": str(i)} for i in range(labels)],
                     "annotations": annotations}
    truth.createIndex()
    results = [{"image_id": i, "category_id": label, "score": score, "bbox": box}
               for i, one in enumerate(pictures) for label, score, *box in one["detected"]]
    run = COCOeval(truth, truth.loadRes(results), "bbox")
    run.evaluate()
    run.accumulate()
    precision = run.eval["precision"][:, :, :, 0, 2]  # [threshold, recall, label]
    per_label = [float(precision[:, :, label].mean()) for label in range(labels)]
    run.summarize()
    return {"at_50": float(run.stats[1]), "at_75": float(run.stats[2]),
            "mean": float(run.stats[0]), "labels": per_label}


def main():
    rng = random.Random(7)
    cases = []
    for name, labels, pictures in [
            ("one label", 1, [picture(rng, 1, 5, 8) for _ in range(6)]),
            ("several labels", 4, [picture(rng, 4, 6, 8) for _ in range(12)]),
            ("a label without a box", 5, [picture(rng, 4, 5, 12) for _ in range(5)]),
            ("exact boxes", 2, [picture(rng, 2, 5, 0) for _ in range(5)]),
            ("over a hundred detections", 1, [crowded(rng) for _ in range(2)]),
            ("recalls of 40 boxes", 1, [exact_recalls(rng, 40)]),
            ("recalls of 50 boxes", 1, [exact_recalls(rng, 50)]),
            ("overlaps at thresholds", 1, [exact_overlaps()])]:
        with contextlib.redirect_stdout(io.StringIO()):
            cases.append({"name": name, "label_count": labels, "pictures": pictures}
                         | evaluate(pictures, labels))
    target = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/average_precision.json"
    target.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
