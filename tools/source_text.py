"""Shared by the checks: the repository's files, and C++ text without comments and literals."""

import pathlib
import re

SKIPPED = {"build", "quickstart", "__pycache__"}
CPP = {".h", ".cpp"}

_HIDDEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"                               # comments
    r'|(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'  # raw strings
    r'|(?:\b(?:u8|[uUL]))?"(?:\\.|[^"\\\n])*"'           # strings
    r"|(?:\b(?:u8|[uUL])|(?<!\w))'(?:\\.|[^'\\\n])+'",   # characters, not digit separators
    re.DOTALL)


def files(root):
    """All files below root except hidden and generated ones, as sorted relative paths."""
    found = []

    def visit(folder):
        for path in sorted(folder.iterdir()):
            hidden = path.name.startswith(".") and path.name != ".ci"
            if path.is_dir() and not path.is_symlink():
                if not hidden and path.name not in SKIPPED:
                    visit(path)
            elif path.is_file() and not hidden:
                found.append(path.relative_to(root))

    visit(pathlib.Path(root))
    return found


def text_of(path):
    """The file's text, or None if it is not text."""
    data = path.read_bytes()
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def blank(text):
    """C++ text with comments and literals replaced by spaces, at unchanged positions."""
    def cover(match):
        piece = match.group()
        if piece[0] == "/":
            return re.sub(r"[^\n]", " ", piece)
        return '"' + re.sub(r"[^\n]", " ", piece[1:-1]) + '"'

    return _HIDDEN.sub(cover, text)


def report(findings):
    """Prints `file:line: message` lines and returns the exit status."""
    for path, line, message in sorted(findings, key=lambda f: (str(f[0]), f[1], f[2])):
        print(f"{path}:{line}: {message}")
    return 1 if findings else 0
