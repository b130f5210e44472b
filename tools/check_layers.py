#!/usr/bin/env python3
"""Checks includes: the order of the layers, cycles, and which files may use which library; and
that no layer below tasks names a task.

    tools/check_layers.py [root]

Prints `file:line: message` and exits with 1 if it finds something.
"""

import pathlib
import re
import sys

from source_text import CPP, blank, files, report, text_of

LAYERS = ["core", "options", "kernels", "tensor", "autograd", "ops", "nn", "models", "model_file",
          "decode", "predict", "train", "inspect", "tasks", "api", "serve", "apps"]
PUBLIC = "include"  # the public headers: include each other alone, and all may include them
SIDE = {"data", "metrics", "formats"}  # see core, options, tensor; metrics see data
FOUNDATION = {"core", "options"} | SIDE  # what the program shares with the library
# Included by nothing; they reach models through the public headers alone.
TOPS = {"apps": FOUNDATION, "bindings": set()}
OUTSIDE = {"tests", "examples", "benchmarks"}
OWNERS = {  # headers of a library: the only files that may include them
    re.compile(r"(oneapi/)?dnnl"): ("weft/kernels/cpu/products/onednn_product.cpp",),
    re.compile(r"hwy/"): ("weft/kernels/cpu/", "tests/kernels/"),
    re.compile(r"sentencepiece_"): ("weft/data/", "tests/data/"),
    re.compile(r"(CLI|spdlog)/"): ("apps/",),
    re.compile(r"mpi\.h"): ("weft/train/distributed/mpi.cpp",),
    re.compile(r"oniguruma"): ("weft/core/text/regex.cpp",),
    re.compile(r"utf8proc"): ("weft/core/text/normal_forms.cpp", "weft/core/text/unicode.cpp"),
    re.compile(r"(png|jpeglib|jerror)\.h"): ("weft/data/images/",),
    re.compile(r"(sndfile|soxr|kiss_fftr?)\.h"): ("weft/data/audio/",),
    re.compile(r"pugixml"): ("weft/data/boxes/",),
    re.compile(r"zlib"): ("weft/data/byte_stream.cpp", "weft/formats/deflate.cpp", "tests/"),
    re.compile(r"xxh"): ("weft/core/files/checksum.cpp",),
}
TASK_CLASS = re.compile(
    r"class (\w+)\s*(?:final\s*)?:\s*public\s+(?:(?:train::)?Task\b|SessionTask<)")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")  # of an identifier
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
GUARD = re.compile(r"WEFT_\w+_H_")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def layer_of(path):
    """The layer of a file or of an included path, "" if it has none."""
    parts = pathlib.PurePath(path).parts
    if parts[0] == "weft":
        return parts[1] if len(parts) > 2 else PUBLIC  # as "weft/error.h" is included
    return parts[0] if parts[0] in TOPS or parts[0] in OUTSIDE | {PUBLIC} else ""


def may_include(user, used):
    """Whether a file of layer `user` may include one of layer `used`."""
    if PUBLIC in (user, used):
        return used == PUBLIC
    if user == used or user in OUTSIDE:
        return used not in OUTSIDE or user == used or used == "tests"
    if used in OUTSIDE or used in TOPS:
        return False
    if user in TOPS:
        return used == user or used in TOPS[user]
    if user in SIDE:
        return used in {"core", "options", "tensor"} | ({"data"} if user == "metrics" else set())
    if used in SIDE:
        return LAYERS.index(user) > LAYERS.index("tensor")
    return LAYERS.index(used) < LAYERS.index(user)


def check_include(path, bracket, target, root):
    """The message about one include line, or None."""
    for library, owners in OWNERS.items():
        if library.match(target) and not any(str(path).startswith(o) for o in owners):
            return f"includes {target}, which only {' '.join(owners)} may"
    top = target.split("/")[0]
    if bracket == "<":
        is_user = str(path).startswith("tests/package/")  # of what is installed
        return (f'writes <{target}>; expected "{target}"' if top == "weft" and not is_user
                else None)
    if "/" not in target or not any((root / of / target).is_file() for of in ("", PUBLIC)):
        return f'includes "{target}", which is not a path from the root; expected "weft/..."'
    if top not in TOPS and top not in OUTSIDE | {"weft"}:
        return f'includes "{target}"; expected "weft/..."'
    user, used = layer_of(path), layer_of(target)
    if not may_include(user, used):
        return f"{user or path} may not include {used or target} ({target})"
    return None


def task_names(root):
    """The names of the tasks: each class in weft/tasks that derives from train::Task."""
    names = set()
    for path in files(root):
        if layer_of(path) == "tasks" and path.suffix == ".h":
            names |= {name.lower() for name in TASK_CLASS.findall(text_of(root / path) or "")}
    return names


def check_task_names(path, text, tasks):
    """A finding for each line that names a task outside comments: as a word of an identifier
    (TaggingOptions, kTagging, is_tagging) or as a whole literal."""
    code = blank(text).splitlines()
    for number, line in enumerate(text.splitlines(), 1):
        words = {word.lower() for identifier in IDENTIFIER.findall(code[number - 1])
                 if not GUARD.fullmatch(identifier) for word in WORD.findall(identifier)}
        words |= {task for task in tasks for match in re.finditer(f'"{task}"', line)
                  if code[number - 1][match.start()] == '"'}
        for task in sorted(words & tasks):
            yield path, number, f"names the task {task}, which only tasks and apps may"


def cycles(graph):
    """A (file, chain) for each cycle of includes."""
    state, found = {}, []

    def visit(node, trail):
        state[node] = "open"
        for after in graph.get(node, ()):
            if state.get(after) == "open":
                found.append((node, trail[trail.index(after):] + [after]))
            elif after not in state:
                visit(after, trail + [after])
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            visit(node, [node])
    return found


def check(root):
    findings, graph, lines = [], {}, {}
    known = set(LAYERS) | SIDE
    tasks, below_tasks = task_names(root), set(LAYERS[:LAYERS.index("tasks")]) | SIDE
    for path in files(root):
        if path.suffix not in CPP:
            continue
        if path.parts[0] == "weft" and layer_of(path) not in known:
            findings.append((path, 1, f"is in no known layer; expected {' '.join(LAYERS)}"))
            continue
        text = text_of(root / path) or ""
        if layer_of(path) in below_tasks:
            findings += check_task_names(path, text, tasks)
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, target = match.groups()
            complaint = check_include(path, bracket, target, root)
            if complaint:
                findings.append((path, number, complaint))
            if bracket == '"':
                graph.setdefault(str(path), []).append(target)
                lines[str(path), target] = number
    for node, chain in cycles(graph):
        findings.append((node, lines[node, chain[-1]], "cycle: " + " -> ".join(chain)))
    return findings


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    return report(check(root.resolve()))


if __name__ == "__main__":
    sys.exit(main())
