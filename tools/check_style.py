#!/usr/bin/env python3
"""Checks sizes and names against the style guide in every file of the repository.

    tools/check_style.py [root]

Prints `file:line: message` and exits with 1 if it finds something.
"""

import ast
import collections
import pathlib
import re
import sys

from cpp_functions import functions
from source_text import CPP, blank, files, report, text_of

MAX_FILE, P95_FILE = 500, 450
MAX_FUNCTION, P95_FUNCTION = 80, 50
MAX_PARAMETERS = 5
MAX_COLUMNS = 100
MAX_DEPTH = 4
MAX_EXAMPLE = 80
MAX_FOLDER = 40
CODE = CPP | {".py", ".sh", ".cmake", ".js", ".css", ".html"}
DIMENSIONS = set("BNSTDHKFVWL")
CONDITIONALS = ("weft/core/config.h", "weft/kernels/cpu/",
                "bindings/c/weft_c.h")  # files that may use `#if`

CAPITAL = re.compile(r"(?<![\w.])[A-Z](?!\w)")
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif|else)\b")
LEFTOVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
BANNED = re.compile(r"\b(?!is_|onig_)\w+_(new|v\d)\b|\butils?\d\b")
VAGUE_PARAMETER = re.compile(r"[\w>&*] (?P<name>of|how|own|at)(?= *[,)])")
VAGUE_FIELD = re.compile(r"[\w>&*] (?P<name>of|how|own|at)(?= *(=[^,;()]*)?;)")
COINED = {  # names that code had, and the field's own
    r"or_room": "scratch",
    r"give_back|give_up": "accumulate or move",
    r"entered_|remember": "prefill",
    r"LongestSides|RowsPtr|SelfRows|CrossRows": "lengths or layout",
    r"follows_weight_": "requires_grad",
    r"every_layer": "hidden_states",
    r"\w*Sites?|(\w+_)?sites?_?": "RNG stream",
    r"Recogni[sz]er": "Transcriber",
    r"BridgedStart|CopiedStart": "bridge or copied state",
    r"all_fed_steps|among_rows|among_cached": "forward or step",
    r"CopiesScore|GivenLabels": "batched score or predicted labels",
    r"check_together": "check_ensemble",
    r"truth_": "target_loss_",
    r"kStalled": "kStoppedEarly",
}
COINED_NAME = re.compile(rf"\b(?:{'|'.join(COINED)})\b")
BANNED_STEM = re.compile(r"_(new|v\d|copy|old)$|^(utils?|misc|helpers?)\d*$")
TEMPLATE_PARAMETER = re.compile(
    r"[<,]\s*(?:class|typename|[\w:]+)\s*(?:\.\.\.)?\s*([A-Z])\b(?=\s*[,>=])")
USING = re.compile(r"^\s*using\s+(?!namespace\b)([\w:]+::\w+(?:\s*,\s*[\w:]+)*)\s*;", re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.$}/*])/(work|root|home|farm|Users)[/]")
TEMPORARY_PATH = re.compile(r"(?<![\w.$}/*])[/]tmp/")


def is_script(path, text):
    return path.suffix in CODE or path.name == "CMakeLists.txt" or text.startswith("#!")


def percentile(values, fraction):
    """The smallest value that at least `fraction` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * int(fraction * 100) // 100) - 1)]


def check_text(path, text):
    """Checks of every text file."""
    for number, line in enumerate(text.splitlines(), 1):
        if line != line.rstrip():
            yield number, "trailing whitespace"
        if LEFTOVER.search(line):
            yield number, f"{LEFTOVER.search(line).group()} left in the text"
        if MACHINE_PATH.search(line) or (
                path.parts[0] != "tests" and TEMPORARY_PATH.search(line)):
            yield number, "the absolute path of a machine"
    if text and not text.endswith("\n"):
        yield len(text.splitlines()), "no newline at the end of the file"


def check_code(path, text):
    """Checks of every source and script."""
    lines = text.splitlines()
    if len(lines) > MAX_FILE:
        yield len(lines), f"{len(lines)} lines in a file, at most {MAX_FILE}"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}"
        if "\t" in line and path.suffix in CPP | {".py"}:
            yield number, "a tab"
    if len(path.parts) - 1 > MAX_DEPTH:
        yield 1, f"{len(path.parts) - 1} folders deep, at most {MAX_DEPTH}"
    if BANNED_STEM.search(path.stem):
        yield 1, f"the name {path.name}; replace the old file instead"


def check_quotes(text, root):
    """In a page that quotes code, after a paragraph that begins with a file's name: indented lines
    are lines of that file."""
    quoted = ""
    for number, line in enumerate(text.splitlines(), 1):
        named = re.match(r"`([\w./-]+)`", line)
        if named or line.startswith("#"):
            source = root / named.group(1) if named else None
            quoted = source.read_text(encoding="utf8") if source and source.is_file() else ""
        elif quoted and line.startswith("    ") and line.strip() not in quoted:
            yield number, f"quotes what the file does not say: {line.strip()}"


def expected_guard(path):
    """That of a public header, include/weft/error.h, is as of weft/error.h."""
    return re.sub(r"\W", "_", str(path).removeprefix("include/")).upper() + "_"


def guard_line(lines):
    """The line of the first preprocessor condition, which must be the guard; 0 if there is none."""
    return next((n for n, line in enumerate(lines, 1) if CONDITIONAL.match(line)), 0)


def check_guard(path, lines):
    guard, number = expected_guard(path), guard_line(lines)
    found = [line.split() for line in lines[number - 1:number + 1]] if number else []
    allowed = {guard} if path.parts[0] == "weft" else {guard, "WEFT_" + guard}
    if not any(found == [["#ifndef", name], ["#define", name]] for name in allowed):
        yield max(number, 1), f"expected the header guard {guard}"


def check_using(text):
    """Names that a source introduces and does not use; clang-tidy looks at several at once."""
    for match in USING.finditer(text):
        rest = text[:match.start()] + text[match.end():]
        for name in match[1].split(","):
            last = name.strip().rsplit("::")[-1]
            if not re.search(rf"\b{last}\b", rest):
                yield text.count("\n", 0, match.start(1)) + 1, f"using {last}, which is not used"


def is_toggled(path):
    """Whether this is a Highway header, whose guard is toggled for each instruction set."""
    return str(path).startswith("weft/kernels/cpu/") and path.name.endswith("-inl.h")


def field_word(name):
    return next(word for names, word in COINED.items() if re.fullmatch(names, name))


def check_cpp(path, text):
    """Additional checks of C++."""
    lines = blank(text).splitlines()
    is_header = path.suffix == ".h"
    if is_header and not is_toggled(path):
        yield from check_guard(path, lines)
    if not str(path).startswith(CONDITIONALS):
        guard = guard_line(lines) if is_header else 0
        for number, line in enumerate(lines, 1):
            if CONDITIONAL.match(line) and number != guard:
                yield number, "a preprocessor condition; expected it in weft/core/config.h"
    if not is_header:
        yield from check_using("\n".join(lines))
    capitals = DIMENSIONS | set(TEMPLATE_PARAMETER.findall(text))
    for number, line in enumerate(lines, 1):
        for letter in sorted(set(CAPITAL.findall(line)) - capitals):
            yield number, f"the single capital {letter} is not a dimension"
        if BANNED.search(line):
            yield number, f"the name {BANNED.search(line).group()}"
        coined = COINED_NAME.search(line)
        if coined:
            yield number, f"the name {coined.group()}; the field says {field_word(coined.group())}"
        vague = VAGUE_PARAMETER.search(line) or (is_header and VAGUE_FIELD.search(line))
        if vague:
            yield number, f"the parameter or field {vague['name']}; name what it is"
    if path.parts[0] == "weft" and len(path.parts) > 2:
        folder = path.parts[1]
        space = "weft" if folder in ("api", "core", "tensor") else f"weft::{folder}"
        if not re.search(rf"\bnamespace {space}\b", text):
            yield 1, f"declares nothing in namespace {space}"
    if path.parts[0] == "examples" and len(lines) > MAX_EXAMPLE:
        yield len(lines), f"{len(lines)} lines in an example, at most {MAX_EXAMPLE}"


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield (node.name, node.lineno, node.end_lineno,
                   len(node.args.posonlyargs) + len(node.args.args))


def check_functions(found):
    for name, first, last, parameters in found:
        if last - first + 1 > MAX_FUNCTION:
            yield first, f"{name} has {last - first + 1} lines, at most {MAX_FUNCTION}"
        if parameters > MAX_PARAMETERS:
            yield first, f"{name} takes {parameters} parameters, at most {MAX_PARAMETERS}"


def check_spread(sizes, limit, what):
    """`sizes` are (size, file, line). Reports the largest if the p95 is over the limit."""
    if not sizes:
        return []
    middle = percentile([size for size, _, _ in sizes], 0.95)
    _, path, line = max(sizes, key=lambda s: s[0])
    return [(path, line, f"p95 of {what} is {middle} lines, at most {limit}")] * (middle > limit)


def check_folders(paths):
    counts = collections.Counter(path.parent for path in paths)
    return [(folder, 1, f"{count} files in a folder, at most {MAX_FOLDER}")
            for folder, count in counts.items() if count > MAX_FOLDER]


def check(root):
    paths = files(root)
    findings, file_sizes, function_sizes = check_folders(paths), [], []
    for path in paths:
        text = text_of(root / path)
        if text is None:
            continue
        checks = [check_text(path, text)]
        if str(path) == "docs/forward.md":
            checks.append(check_quotes(text, root))
        if is_script(path, text):
            checks.append(check_code(path, text))
        if path.suffix in CPP:
            found = functions(blank(text))
            checks += [check_cpp(path, text), check_functions(found)]
            file_sizes.append((len(text.splitlines()), path, 1))
            function_sizes += [(f.last - f.first + 1, path, f.first)
                               for f in found if f.last > f.first]
        elif path.suffix == ".py":
            checks.append(check_functions(python_functions(text)))
        findings += [(path, line, message) for part in checks for line, message in part]
    findings += check_spread(file_sizes, P95_FILE, "files")
    findings += check_spread(function_sizes, P95_FUNCTION, "functions")
    return findings


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    return report(check(root.resolve()))


if __name__ == "__main__":
    sys.exit(main())
