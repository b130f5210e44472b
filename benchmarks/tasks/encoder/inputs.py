"""What the tasks of speed.py train on and predict: files, options, and the peer's arguments."""

import gzip
import random
import wave
from dataclasses import dataclass, field

from side_by_side import write_idx

DATA = {"tag": "ud-english-ewt", "classify": "trec"}
TEXT_COPIES = {"tag": 1, "classify": 10}  # of the text that is labelled
BATCH_WORDS = 4096
PICTURES, IMAGE_BATCH, IMAGE_SIDE = 25600, 128, 28
SOUNDS, SOUND_BATCH, SAMPLE_RATE, LETTERS_A_SECOND = 640, 16, 16000, 10
ENCODER = ["--type", "transformer", "--transformer-heads", "4", "--transformer-ffn-activation",
           "gelu", "--transformer-norm", "pre", "--position", "learned", "--max-positions", "1024",
           "--transformer-dropout", "0.1", "--transformer-dropout-ffn", "0.1",
           "--transformer-dropout-attention", "0.1"]
SMALL = [*ENCODER, "--enc-depth", "4", "--dim-emb", "128", "--transformer-dim-ffn", "512"]
VIT = [*ENCODER, "--enc-depth", "6", "--dim-emb", "64", "--transformer-dim-ffn", "128"]


@dataclass
class Job:
    """One task; an item is a word, a picture or a second of sound."""
    task: str  # of weft train
    predict: list  # weft's command that predicts, but for model, precision, output and threads
    train: list  # options of weft train
    logged: str  # what the speeds in the log of training count
    items_of_logged: float  # items in one of them
    predicted: int  # items that `predict` reads
    peer: list = field(default_factory=list)  # arguments of the peer


def tagged_texts(text):
    """The words of each sentence, and the labels of each word."""
    rows = [[row.split("\t")[:2] for row in one.splitlines()] for one in text.split("\n\n")]
    return [([word.replace(" ", "_") for word, _ in row], [label for _, label in row])
            for row in rows if row]


def labelled_texts(text):
    """The words of each question, and its label."""
    rows = [line.split() for line in text.splitlines()]
    return [(row[1:], row[:1]) for row in rows if len(row) > 1]


def text_job(name, texts, data, folder):
    """`texts` are pairs of words and labels."""
    words = sum(len(one) for one, _ in texts)
    order = (0, 1) if name == "tag" else (1, 0)
    (folder / "train.tsv").write_text("".join(
        "\t".join(" ".join(text[part]) for part in order) + "\n" for text in texts))
    (folder / "lines").write_text(
        "".join(" ".join(one) + "\n" for one, _ in texts) * TEXT_COPIES[name])
    if name == "tag":
        batches = ["--mini-batch-words", str(BATCH_WORDS)]
    else:  # as many texts as have that many words
        batches = ["--mini-batch", str(round(BATCH_WORDS * len(texts) / words)),
                   "--mini-batch-words", "0"]
    return Job(task="tagging" if name == "tag" else "classification",
               predict=[name, "-i", folder / "lines"],
               train=[*SMALL, *batches, "-t", folder / "train.tsv", "-v", folder / "vocab"],
               logged="words" if name == "tag" else "examples",
               items_of_logged=1 if name == "tag" else words / len(texts),
               predicted=words * TEXT_COPIES[name],
               peer=["--task", name, "--data", data / DATA[name]])


def tag(data, folder):
    """UD English-EWT."""
    with gzip.open(data / "ud-english-ewt/r2.3-train.form-upos-xpos.tsv.gz", "rt") as file:
        return text_job("tag", tagged_texts(file.read()), data, folder)


def classify(data, folder):
    """TREC."""
    with gzip.open(data / "trec/TREC.train.all.gz", "rt") as file:
        return text_job("classify", labelled_texts(file.read()), data, folder)


def image(_, folder):
    """Random pictures of Fashion-MNIST's size."""
    draw = random.Random(1)
    write_idx(folder / "images", (PICTURES, IMAGE_SIDE, IMAGE_SIDE),
              draw.randbytes(PICTURES * IMAGE_SIDE * IMAGE_SIDE))
    write_idx(folder / "labels", (PICTURES,),
              bytes(draw.randrange(10) for _ in range(PICTURES)))
    return Job(task="classification", predict=["classify", "-i", folder / "images"],
               train=[*VIT, "--input", "image", "--patch-size", "4", "--pooling", "mean",
                      "--mini-batch", str(IMAGE_BATCH), "--mini-batch-words", "0",
                      "-t", folder / "images", folder / "labels"],
               logged="examples", items_of_logged=1, predicted=PICTURES,
               peer=["--task", "image", "--batch", str(IMAGE_BATCH)])


def transcribe(_, folder):
    """Random sounds of 1 to 5 seconds with random letters; the peer reads their lengths."""
    draw = random.Random(1)
    rows, lengths = [], []
    for number in range(SOUNDS):
        seconds = draw.uniform(1, 5)
        text = "".join(draw.choices("abcdefghijklmnopqrst", k=round(seconds * LETTERS_A_SECOND)))
        with wave.open(str(folder / f"{number}.wav"), "wb") as file:
            file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
            file.writeframes(draw.randbytes(2 * round(seconds * SAMPLE_RATE)))
        rows.append(f"{number}.wav\t{text}\n")
        lengths.append((seconds, len(text)))
    (folder / "train.tsv").write_text("".join(rows))
    (folder / "paths").write_text("".join(f"{folder / row.split()[0]}\n" for row in rows))
    (folder / "lengths").write_text("".join(f"{s:.4f}\t{n}\n" for s, n in lengths))
    seconds, tokens = sum(s for s, _ in lengths), sum(n + 1 for _, n in lengths)
    return Job(task="transcription", predict=["transcribe", "-b", "1", "-i", folder / "paths"],
               train=[*SMALL, "--decoder", "ctc", "--frequency-masks", "0", "--time-masks", "0",
                      "--mini-batch", str(SOUND_BATCH), "-t", folder / "train.tsv",
                      "-v", folder / "characters.vocab"],
               logged="tokens", items_of_logged=seconds / tokens, predicted=round(seconds),
               peer=["--lengths", folder / "lengths", "--batch", str(SOUND_BATCH)])


JOBS = {"tag": tag, "classify": classify, "image": image, "transcribe": transcribe}
