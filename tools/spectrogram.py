#!/usr/bin/env python3
"""Draws the log-mel frames of a sound with the words that a transcriber heard in it.

    echo digits/test/00002.wav | weft transcribe -m digits.safetensors --format json > heard.json
    python3 tools/spectrogram.py heard.json docs/pictures/speech.png

The first line of heard.json says which sound it is, and when each word begins and ends. Requires
numpy, pillow, soundfile and kaldi-native-fbank.
"""
import argparse
import json
import pathlib

import kaldi_native_fbank
import numpy
import soundfile
from PIL import Image, ImageDraw, ImageFont

BINS, RATE, FRAMES_A_SECOND = 80, 16000, 100
SCALE = 3  # pixels of a frame and of a bin
STRIP = 34  # pixels below for the words


def frames_of(path):
    """Log-mel frames [N, BINS] of a sound, the lowest frequency first."""
    samples, rate = soundfile.read(path)
    samples = samples if samples.ndim == 1 else samples.mean(1)
    times = numpy.arange(int(len(samples) * RATE / rate)) * rate / RATE
    samples = numpy.interp(times, numpy.arange(len(samples)), samples)
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.dither = 0
    options.mel_opts.num_bins = BINS
    banks = kaldi_native_fbank.OnlineFbank(options)
    banks.accept_waveform(RATE, (samples * 32768).tolist())
    banks.input_finished()
    return numpy.stack([banks.get_frame(i) for i in range(banks.num_frames_ready)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heard", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    options = parser.parse_args()
    heard = json.loads(options.heard.read_text().splitlines()[0])
    frames = frames_of(heard["audio"])
    low, high = numpy.percentile(frames, [40, 99.5])
    levels = numpy.clip((frames - low) / (high - low), 0, 1).T[::-1]  # the highest bin on top
    grey = Image.fromarray((255 * (1 - levels)).astype("uint8"))
    grey = grey.resize((SCALE * grey.width, SCALE * BINS), Image.Resampling.BILINEAR)
    out = Image.new("RGB", (grey.width, grey.height + STRIP), "white")
    out.paste(grey, (0, 0))
    draw = ImageDraw.Draw(out)
    font = ImageFont.load_default(size=16)
    for word in heard["words"]:
        left, right = (SCALE * FRAMES_A_SECOND * word[at] for at in ("begin", "end"))
        draw.rectangle((left, grey.height + 2, right, out.height - 2), fill="#dbe9f6")
        for at in (left, right):
            draw.line((at, 0, at, out.height), fill="#d62728", width=2)
        draw.text(((left + right) / 2, grey.height + STRIP / 2), word["word"], fill="black",
                  anchor="mm", font=font)
    out.quantize(32).save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
