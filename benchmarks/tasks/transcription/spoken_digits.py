#!/usr/bin/env python3
"""Strings of spoken digits, by the speech synthesiser espeak-ng: sounds for a transcriber.

    python3 benchmarks/tasks/transcription/spoken_digits.py FOLDER [--language en|it] [--train N]

Writes FOLDER/{train,valid,test}.tsv, lines of `path TAB text`, and the sounds that they name, WAV
files at 22,050 samples a second. A sound has 1 to 7 English digits; with --language it the texts
are the Italian words for them. Voices, speeds and pitches of the test set, and those of the
validation set, are not in the training set.
"""

import argparse
import concurrent.futures
import pathlib
import random
import subprocess

ENGLISH = "zero one two three four five six seven eight nine".split()
ITALIAN = "zero uno due tre quattro cinque sei sette otto nove".split()
# For each set the accents, the variants of voices, and the speeds in words a minute.
SETS = {
    "train": (["en-us", "en-gb", "en-gb-scotland"],
              ["m1", "m2", "m3", "m4", "m5", "m6", "f1", "f2", "f3", "Alex", "Alicia", "Andrea",
               "antonio", "aunty", "benjamin", "boris", "david", "ed", "Gene", "Henrique", "Hugo",
               "Jacky", "Lee", "marcelo", "Mario", "Michael", "pablo", "paul", "quincy", "rob",
               "steph", "zac", "grandpa", "anika"],
              [120, 140, 160, 180, 200]),
    "valid": (["en-gb-x-gbclan"], ["caleb", "Mike", "linda", "Denis"], [135, 155, 185]),
    "test": (["en-us", "en-gb-x-rp"],
             ["m7", "m8", "f4", "f5", "Annie", "belinda", "john", "max", "miguel", "robert",
              "edward"],
             [130, 150, 170, 190]),
}
SEEDS = {"train": 1, "valid": 2, "test": 3}


def speak(job):
    path, voice, speed, pitch, text = job
    subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", path, text],
                   check=True)


def make(folder, language="en", counts=None):
    """Writes the sets; `counts` has the number of sounds of each."""
    counts = counts or {"train": 4000, "valid": 300, "test": 500}
    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for name, (accents, variants, speeds) in SETS.items():
        draw = random.Random(SEEDS[name])
        (folder / name).mkdir(exist_ok=True)
        lines = []
        for i in range(counts[name]):
            digits = [draw.randrange(10) for _ in range(draw.randint(1, 7))]
            voice = f"{draw.choice(accents)}+{draw.choice(variants)}"
            path = f"{name}/{i:05}.wav"
            jobs.append((folder / path, voice, draw.choice(speeds), draw.randint(30, 70),
                         " ".join(ENGLISH[d] for d in digits)))
            words = ITALIAN if language == "it" else ENGLISH
            lines.append(f"{path}\t{' '.join(words[d] for d in digits)}\n")
        (folder / f"{name}.tsv").write_text("".join(lines))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(speak, jobs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--language", choices=["en", "it"], default="en")
    parser.add_argument("--train", type=int, default=4000)
    options = parser.parse_args()
    make(options.folder, options.language, {"train": options.train, "valid": 300, "test": 500})


if __name__ == "__main__":
    main()
