#!/usr/bin/env python3
"""Small sound files of the formats that the tests read.

    python3 tools/golden/sounds.py

Writes to tests/golden/sounds a sine of 440 Hz, 0.25 high and 0.2 seconds long at 8,000 samples a
second, as tone.flac, tone.ogg (Vorbis), tone_24.wav (24 bits) and stereo.wav, whose right channel
is silent. Requires soundfile and numpy. The tests only read the files.
"""
import pathlib

import numpy
import soundfile

RATE = 8000


def main():
    folder = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "sounds"
    folder.mkdir(exist_ok=True)
    tone = 0.25 * numpy.sin(2 * numpy.pi * 440 * numpy.arange(RATE // 5) / RATE)
    soundfile.write(folder / "tone.flac", tone, RATE, subtype="PCM_16")
    soundfile.write(folder / "tone.ogg", tone, RATE, subtype="VORBIS")
    soundfile.write(folder / "tone_24.wav", tone, RATE, subtype="PCM_24")
    soundfile.write(folder / "stereo.wav", numpy.stack([tone, 0 * tone], 1), RATE, subtype="PCM_16")


if __name__ == "__main__":
    main()
