#!/usr/bin/env python3
"""Golden log-mel filter banks, from kaldi-native-fbank.

    python3 tools/golden/log_mel.py

Writes tests/golden/log_mel.safetensors: "samples" [N], from -1 to 1, and frames of them under
"wide" (16,000 samples a second, 80 bins, frames of 25 ms) and "narrow" (8,000, 23 bins, 32 ms,
every 16). Requires kaldi-native-fbank, numpy and safetensors. The tests only read the file.
"""
import pathlib

import kaldi_native_fbank
import numpy
from safetensors.numpy import save_file


def filter_banks(samples, rate, bins, length, shift):
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.samp_freq = rate
    options.frame_opts.frame_length_ms = length
    options.frame_opts.frame_shift_ms = shift
    options.frame_opts.dither = 0
    options.frame_opts.snip_edges = True
    options.mel_opts.num_bins = bins
    banks = kaldi_native_fbank.OnlineFbank(options)
    banks.accept_waveform(rate, (samples * 32768).tolist())
    banks.input_finished()
    return numpy.stack([banks.get_frame(i) for i in range(banks.num_frames_ready)])


def main():
    draw = numpy.random.default_rng(1)
    time = numpy.arange(3000) / 16000
    samples = (0.3 * numpy.sin(2 * numpy.pi * (300 + 4000 * time) * time) +
               0.05 * draw.standard_normal(time.size) + 0.1).astype(numpy.float32)
    samples[2000:2600] = 0
    target = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
    save_file({"samples": samples[None], "wide": filter_banks(samples, 16000, 80, 25, 10),
               "narrow": filter_banks(samples, 8000, 23, 32, 16)}, target / "log_mel.safetensors")


if __name__ == "__main__":
    main()
