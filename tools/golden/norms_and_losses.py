"""Golden numbers of norms and losses, from PyTorch.

    python3 tools/golden/norms_and_losses.py [folder, tests/golden by default]

Writes norms_and_losses.safetensors: inputs, and for each of them values and gradients of
sum(w * y), or of the loss. Computed in double from inputs rounded to float.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch.nn import functional as F

ROWS, FEATURES, CLASSES = 6, 5, 7
TARGETS = [3, 0, 6, 3, 1, 5]
ROW_WEIGHTS = [1, 0.5, 2, 1, 0, 1.5]
SMOOTHING = 0.1


def draw(*shape):
    return torch.randn(*shape).double().requires_grad_()


def norms(out):
    x, gamma, beta, w = draw(ROWS, FEATURES), draw(FEATURES), draw(FEATURES), draw(ROWS, FEATURES)
    out |= {"x": x, "gamma": gamma, "beta": beta, "w": w}
    y = F.rms_norm(x, (FEATURES,), gamma, eps=1e-3)
    d_x, d_gamma = torch.autograd.grad((y * w).sum(), (x, gamma))
    out |= {"rms.y": y, "rms.d_x": d_x, "rms.d_gamma": d_gamma}
    mean, variance = torch.zeros(FEATURES).double(), torch.ones(FEATURES).double()
    for batch in (x, x[:4] * 2):  # running statistics of two batches
        y = F.batch_norm(batch, mean, variance, gamma, beta, training=True, momentum=0.1, eps=1e-3)
        if batch is x:
            d_x, d_gamma, d_beta = torch.autograd.grad((y * w).sum(), (x, gamma, beta))
            out |= {"batch.y": y, "batch.d_x": d_x, "batch.d_gamma": d_gamma,
                    "batch.d_beta": d_beta}
    fixed = F.batch_norm(x, mean, variance, gamma, beta, training=False, eps=1e-3)
    out |= {"batch.running_mean": mean, "batch.running_var": variance, "batch.fixed": fixed}


def losses(out):
    x, z = draw(ROWS, CLASSES), draw(ROWS, CLASSES)
    out |= {"logits": x, "other": z, "targets": torch.tensor(TARGETS, dtype=torch.int32)}
    t = torch.full((ROWS, CLASSES), SMOOTHING / CLASSES).double()
    t[torch.arange(ROWS), TARGETS] += 1 - SMOOTHING
    p = x.softmax(-1)
    apart = (p - t).square().sum(-1)
    kinds = {
        "cross-entropy": F.cross_entropy(x, torch.tensor(TARGETS), label_smoothing=SMOOTHING,
                                         reduction="sum"),
        "kl": F.kl_div(x.log_softmax(-1), t, reduction="sum"),
        "euclidean": apart.sqrt().sum(),
        "squared-euclidean": apart.sum(),
    }
    for name, loss in kinds.items():
        out |= {name: loss, name + ".d": torch.autograd.grad(loss, x, retain_graph=True)[0]}
    warm = F.kl_div((x / 2).log_softmax(-1), (z / 2).log_softmax(-1), log_target=True,
                    reduction="sum")
    d_x, d_z = torch.autograd.grad(warm, (x, z))
    out |= {"divergence": warm, "divergence.d_x": d_x, "divergence.d_z": d_z}


def mixed_losses(out):
    """Weighted sums over rows: R-Drop's loss (half of the paper's) and a teacher's."""
    x, z, rows = out["logits"], out["other"], torch.tensor(ROW_WEIGHTS).double()
    log_p, log_q, targets = x.log_softmax(-1), z.log_softmax(-1), torch.tensor(TARGETS)

    def truth(logits):
        return F.cross_entropy(logits, targets, label_smoothing=SMOOTHING, reduction="none")

    def apart(a, b):
        """KL(b, a) of each row."""
        return F.kl_div(a, b, log_target=True, reduction="none").sum(-1)

    paper = truth(x) + truth(z) + 5 * (apart(log_q, log_p) + apart(log_p, log_q)) / 2
    pair = (rows * paper).sum() / 2
    d_x, d_z = torch.autograd.grad(pair, (x, z), retain_graph=True)
    out |= {"r-drop": pair, "r-drop.d_x": d_x, "r-drop.d_z": d_z}
    warm = apart((x / 2).log_softmax(-1), (z.detach() / 2).log_softmax(-1))
    taught = (rows * (0.7 * truth(x) + 0.3 * 2**2 * warm)).sum()
    out |= {"row-weights": rows, "teacher": taught,
            "teacher.d_x": torch.autograd.grad(taught, x)[0]}


def ctc(out):
    """Sentences of 5, 3 and 4 rows; the last has no path for its labels."""
    rows, labels = [5, 3, 4], [[1, 1, 2], [3], [2, 2, 2]]
    x = draw(sum(rows), 4)
    padded = torch.zeros(max(rows), len(rows), 4).double()
    begin = 0
    for b, n in enumerate(rows):
        padded[:n, b] = x[begin:begin + n]
        begin += n
    each = F.ctc_loss(padded.log_softmax(-1), torch.tensor(sum(labels, [])), torch.tensor(rows),
                      torch.tensor([len(l) for l in labels]), blank=0, reduction="none",
                      zero_infinity=True)
    out |= {"ctc.logits": x, "ctc.losses": each, "ctc.d": torch.autograd.grad(each.sum(), x)[0]}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    torch.manual_seed(20240613)
    out = {}
    norms(out)
    losses(out)
    mixed_losses(out)
    ctc(out)
    as_file = {}
    for name, x in out.items():
        x = x.detach() if x.dtype == torch.int32 else x.detach().float()
        as_file[name] = x.reshape(-1, x.shape[-1] if x.dim() else 1).contiguous()
    save_file(as_file, folder / "norms_and_losses.safetensors")


main()
