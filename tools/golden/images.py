#!/usr/bin/env python3
"""Writes tests/golden/images: small PNG, JPEG and IDX files in folders named by their extension,
and pictures.json, the pixels that Pillow reads from them and resizes them to.

Requires Pillow (the files are of 13.0); the tests only read the files.
"""
import json
import pathlib
import random
import struct
import typing
import zlib

from PIL import Image

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/images"
WIDTH, HEIGHT = 13, 9
GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6  # the colour types of PNG
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2)]  # x, y, step of x, step of y


def path_of(name):
    """Where a file is: in a folder named by its extension."""
    path = FOLDER / name.rpartition(".")[2] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


class Kind(typing.NamedTuple):
    color: int
    bits: int
    interlaced: bool = False


def scanlines(samples, size, kind, one_pass):
    """The rows of one pass, each behind the filter type 0."""
    width, height = size
    x0, y0, dx, dy = one_pass
    channels = CHANNELS[kind.color]
    out = b""
    for y in range(y0, height, dy):
        row = [samples[(y * width + x) * channels + c]
               for x in range(x0, width, dx) for c in range(channels)]
        if row:
            text = "".join(format(value, f"0{kind.bits}b") for value in row)
            text += "0" * (-len(text) % 8)
            out += b"\0" + int(text, 2).to_bytes(len(text) // 8, "big")
    return out


def write_png(name, kind, samples, extra=b"", size=(WIDTH, HEIGHT)):
    passes = ADAM7 if kind.interlaced else [(0, 0, 1, 1)]
    rows = b"".join(scanlines(samples, size, kind, p) for p in passes)
    head = struct.pack(">IIBBBBB", *size, kind.bits, kind.color, 0, 0, int(kind.interlaced))
    path_of(name).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra
                              + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def write_pngs(rng):
    def samples(color, bits):
        return [rng.randrange(1 << bits) for _ in range(WIDTH * HEIGHT * CHANNELS[color])]

    for bits in (1, 2, 4, 8, 16):
        write_png(f"grey_{bits}.png", Kind(GREY, bits), samples(GREY, bits))
        transparent = chunk(b"tRNS", struct.pack(">H", 1))
        write_png(f"grey_{bits}_transparent.png", Kind(GREY, bits),
                  [v if i % 3 else 1 for i, v in enumerate(samples(GREY, bits))], extra=transparent)
    for bits in (1, 2, 4, 8):
        colors = bytes(rng.randrange(256) for _ in range(3 << bits))
        alpha = bytes(rng.randrange(256) for _ in range(1 << bits))
        palette = chunk(b"PLTE", colors)
        write_png(f"palette_{bits}.png", Kind(PALETTE, bits), samples(PALETTE, bits), extra=palette)
        write_png(f"palette_{bits}_transparent.png", Kind(PALETTE, bits), samples(PALETTE, bits),
                  extra=palette + chunk(b"tRNS", alpha))
    for bits in (8, 16):
        for name, color in (("rgb", RGB), ("grey_alpha", GREY_ALPHA), ("rgb_alpha", RGB_ALPHA)):
            write_png(f"{name}_{bits}.png", Kind(color, bits), samples(color, bits))
    pixels = samples(RGB, 8)
    write_png("rgb_8_transparent.png", Kind(RGB, 8), pixels,
              extra=chunk(b"tRNS", struct.pack(">HHH", *pixels[:3])))
    gamma = chunk(b"gAMA", struct.pack(">I", 45455))
    write_png("rgb_alpha_8_gamma.png", Kind(RGB_ALPHA, 8), samples(RGB_ALPHA, 8), extra=gamma)
    for color, bits in ((GREY, 1), (GREY, 8), (RGB, 8), (RGB_ALPHA, 16)):
        write_png(f"interlaced_{color}_{bits}.png", Kind(color, bits, True), samples(color, bits))
    write_png("one_pixel.png", Kind(RGB, 8), [10, 120, 240], size=(1, 1))
    write_png("one_column.png", Kind(GREY, 8), samples(GREY, 8)[:7], size=(1, 7))


def smooth_picture(width, height):
    """Colours that change slowly, with an edge."""
    image = Image.new("RGB", (width, height))
    for y in range(height):
        for x in range(width):
            edge = 90 if x + y > width else 0
            image.putpixel((x, y), (255 * x // width, 255 * y // height, 60 + edge))
    return image


def write_jpegs():
    rgb = smooth_picture(37, 23)
    grey = rgb.convert("L")
    grey.save(path_of("grey.jpg"), quality=85)
    grey.crop((0, 0, 1, 1)).save(path_of("one_pixel.jpg"))
    for name, sampling in (("444", 0), ("422", 1), ("420", 2)):
        rgb.save(path_of(f"ycbcr_{name}.jpg"), quality=85, subsampling=sampling)
    rgb.save(path_of("progressive.jpg"), quality=85, progressive=True)
    rgb.save(path_of("restarts.jpg"), quality=85, restart_marker_blocks=2)
    rgb.save(path_of("rgb.jpg"), quality=85, keep_rgb=True)
    rgb.convert("CMYK").save(path_of("cmyk.jpg"), quality=85)


def write_idx(rng):
    pixels = bytes(rng.randrange(256) for _ in range(3 * 4 * 5))
    path_of("images.idx").write_bytes(struct.pack(">IIII", 0x803, 3, 4, 5) + pixels)
    path_of("labels.idx").write_bytes(struct.pack(">II", 0x801, 3) + bytes([7, 0, 255]))


def over_white(path):
    """The picture of a file as 8-bit grey or RGB, as Weft reads it."""
    image = Image.open(path)
    grey = image.mode in ("1", "L")
    if path.suffix == ".png":
        bits, color = path.read_bytes()[24:26]
        grey = color in (GREY, GREY_ALPHA)
        clear = image.info.get("transparency")
        if color == GREY and bits == 16:  # Pillow has no conversion that scales
            levels = list(image.get_flattened_data())
            image = Image.new("L", image.size)
            image.putdata([255 if v == clear else (v * 255 + 32767) // 65535 for v in levels])
        elif color == GREY and clear is not None:
            # Pillow scales the levels of 2 and 4 bits, not the one that is transparent.
            image = image.convert("L")
            image.info["transparency"] = clear * 255 // ((1 << bits) - 1) if bits > 1 else clear
    white = Image.new("RGBA", image.size, "white")
    rgb = Image.alpha_composite(white, image.convert("RGBA"))
    return rgb.convert("L" if grey else "RGB")


def picture(image):
    return {"height": image.height, "width": image.width, "channels": len(image.getbands()),
            "pixels": image.tobytes().hex()}


def main():
    rng = random.Random(4)
    write_pngs(rng)
    write_jpegs()
    write_idx(rng)
    files = sorted((*FOLDER.glob("png/*"), *FOLDER.glob("jpg/*")), key=lambda p: p.name)
    decoded = {p.name: over_white(p) for p in files if p.name != "cmyk.jpg"}
    resized = []
    for name, sizes in {
            "rgb_8.png": [(13, 9), (26, 18), (7, 5), (31, 4), (3, 40), (1, 1)],
            "grey_8.png": [(13, 9), (17, 30), (5, 3), (1, 9), (13, 2)],
            "one_pixel.png": [(1, 1), (4, 3)],
            "one_column.png": [(3, 5), (1, 15)]}.items():
        resized += [{"file": name, **picture(decoded[name].resize(size, Image.Resampling.BILINEAR))}
                    for size in sizes]
    grey = [{"file": name, **picture(decoded[name].convert("L"))} for name in ("rgb_8.png",)]
    golden = {"decoded": {name: picture(image) for name, image in decoded.items()},
              "resized": resized, "grey": grey}
    (FOLDER / "pictures.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
