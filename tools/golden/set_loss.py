#!/usr/bin/env python3
"""Golden numbers of DETR's matching and loss, from Transformers' HungarianMatcher and ImageLoss.

    python3 tools/golden/set_loss.py

Writes tests/golden/set_loss.safetensors: of pictures with several boxes, none, one, and more than
there are queries, "logits" [N, labels + 1] and "boxes" [N, 4] of their queries, "labels" [M] and
"targets" [M, 4] of their boxes, "counts" of boxes in each, "rows" [M] the query that each box is
matched with or -1, the losses "label_loss", "l1_loss" and "giou_loss", "weights" the sum of the
labels' weights that the first is a mean over, and the gradients "d_logits" and "d_boxes" of
label_loss + 5 l1_loss + 2 giou_loss. Requires torch, scipy and transformers; computed in double
from numbers rounded to float. The tests only read the file.
"""
import pathlib

import torch
from safetensors.torch import save_file
from transformers.loss.loss_for_object_detection import HungarianMatcher, ImageLoss

QUERIES, LABELS, COUNTS, NO_OBJECT = 7, 4, [3, 0, 1, 9], 0.1


def random_boxes(count):
    """Inside the picture, as centre, width and height, exact in float."""
    size = 0.1 + 0.5 * torch.rand(count, 2)
    center = size / 2 + (1 - size) * torch.rand(count, 2)
    return torch.cat([center, size], 1).float().double()


def main():
    torch.manual_seed(1)
    logits = (2 * torch.randn(len(COUNTS), QUERIES, LABELS + 1)).float().double()
    boxes = torch.stack([random_boxes(QUERIES) for _ in COUNTS])
    logits.requires_grad_(), boxes.requires_grad_()
    outputs = {"logits": logits, "pred_boxes": boxes}
    targets = [{"class_labels": torch.randint(LABELS, (n,)), "boxes": random_boxes(n)}
               for n in COUNTS]
    matcher = HungarianMatcher(class_cost=1, bbox_cost=5, giou_cost=2)
    criterion = ImageLoss(matcher, LABELS, NO_OBJECT, ["labels", "boxes"]).double()
    losses = criterion(outputs, targets)
    (losses["loss_ce"] + 5 * losses["loss_bbox"] + 2 * losses["loss_giou"]).backward()
    rows = []
    for picture, (queries, matched) in enumerate(matcher(outputs, targets)):
        own = [-1] * COUNTS[picture]
        for query, box in zip(queries.tolist(), matched.tolist()):
            own[box] = picture * QUERIES + query
        rows += own
    pairs = sum(row >= 0 for row in rows)
    numbers = {"label_loss": losses["loss_ce"], "l1_loss": losses["loss_bbox"],
               "giou_loss": losses["loss_giou"],
               "weights": torch.tensor(pairs + NO_OBJECT * (len(COUNTS) * QUERIES - pairs))}
    tensors = {name: number.detach().reshape(1, 1).float() for name, number in numbers.items()}
    tensors |= {"logits": logits.detach().flatten(0, 1).float(),
                "boxes": boxes.detach().flatten(0, 1).float(),
                "labels": torch.cat([t["class_labels"] for t in targets]).int(),
                "targets": torch.cat([t["boxes"] for t in targets]).float(),
                "counts": torch.tensor(COUNTS, dtype=torch.int32),
                "rows": torch.tensor(rows, dtype=torch.int32),
                "d_logits": logits.grad.flatten(0, 1).float(),
                "d_boxes": boxes.grad.flatten(0, 1).float()}
    target = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/set_loss.safetensors"
    save_file({name: t.contiguous() for name, t in tensors.items()}, target)


if __name__ == "__main__":
    main()
