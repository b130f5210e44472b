#!/usr/bin/env python3
"""A small GGUF file with a tensor of each element type, from llama.cpp's Python package gguf.

    python3 tools/golden/gguf_file.py [folder, tests/golden/gguf by default]

Writes types.gguf: metadata of every type under "test.", for each type a tensor "q4_k" [2, 256] of
random blocks, and "q4_k.float32" with the numbers that they stand for. And written.gguf: random
numbers, and the blocks that the package makes of them.
"""

import pathlib
import sys

import gguf
import numpy
from gguf import GGMLQuantizationType as Type
from gguf import quants

ROWS, COLS = 2, 256
TYPES = [Type.F32, Type.F16, Type.BF16, Type.Q8_0, Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1,
         Type.Q4_K, Type.Q5_K, Type.Q6_K]
HALVES = {Type.Q8_0: [0], Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2],
          Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208]}  # bytes of scales in a block


def random_blocks(kind, draw):
    if kind == Type.F32:
        return draw.standard_normal((ROWS, COLS)).astype(numpy.float32)
    if kind in (Type.F16, Type.BF16):
        return quants.quantize(draw.standard_normal((ROWS, COLS)).astype(numpy.float32), kind)
    size, width = gguf.GGML_QUANT_SIZES[kind]
    blocks = draw.integers(0, 256, (ROWS, COLS // size, width), dtype=numpy.uint8)
    for at in HALVES[kind]:
        scales = draw.uniform(-0.1, 0.1, (ROWS, COLS // size)).astype(numpy.float16)
        blocks[:, :, at:at + 2] = scales[..., None].view(numpy.uint8)
    return blocks.reshape(ROWS, -1)


def write_quantised(path, draw):
    out = gguf.GGUFWriter(path, "test")
    numbers = draw.standard_normal((8, 64)).astype(numpy.float32)
    numbers[0] = 0
    numbers[1] = draw.integers(-8, 8, 64)  # ties
    numbers[2, 5] = -20
    out.add_tensor("numbers", numbers)
    for kind in (Type.F16, Type.BF16, Type.Q8_0, Type.Q4_0):
        out.add_tensor(kind.name.lower(), quants.quantize(numbers, kind), raw_dtype=kind)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/gguf")
    draw = numpy.random.default_rng(1)
    out = gguf.GGUFWriter(folder / "types.gguf", "test")
    out.add_uint8("test.uint8", 200)
    out.add_int8("test.int8", -100)
    out.add_uint16("test.uint16", 60000)
    out.add_int16("test.int16", -30000)
    out.add_uint32("test.uint32", 4000000000)
    out.add_int32("test.int32", -2000000000)
    out.add_uint64("test.uint64", 2**63 + 1)
    out.add_int64("test.int64", -2**62)
    out.add_float32("test.float32", 0.1)
    out.add_float64("test.float64", 0.1)
    out.add_bool("test.bool", True)
    out.add_string("test.string", "naïve")
    out.add_array("test.strings", ["a", "", "ö"])
    out.add_array("test.integers", [1, -2, 3])
    out.add_array("test.floats", [0.5, -1.5])
    for kind in TYPES:
        blocks = random_blocks(kind, draw)
        name = kind.name.lower()
        out.add_tensor(name, blocks, raw_dtype=kind)
        numbers = blocks if kind == Type.F32 else quants.dequantize(blocks, kind)
        out.add_tensor(f"{name}.float32", numbers.astype(numpy.float32))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    write_quantised(folder / "written.gguf", draw)


if __name__ == "__main__":
    main()
