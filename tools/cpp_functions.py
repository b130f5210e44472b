"""Finds functions in clang-formatted C++ by braces: their lines and numbers of parameters."""

import re
from typing import NamedTuple

SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
TEMPLATE = re.compile(r"^\s*template\s*<")
NAME = re.compile(r"(~?\w+)\s*$")
OPERATOR = re.compile(r"\boperator\s*(\(\)|[^\s\w(]+)")
NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "static_assert", "decltype", "alignas",
                 "requires", "noexcept", "sizeof", "__attribute__", "throw", "concept"}
LAMBDA = re.compile(r"\]\s*\(")


class Function(NamedTuple):
    name: str
    first: int  # line of the first word of its head
    last: int   # line of its closing brace, or `first` for a declaration
    parameters: int


def matching(text, start):
    """Index of the bracket that closes the one at `start`."""
    pairs = {"(": ")", "{": "}", "[": "]", "<": ">"}
    close, depth = pairs[text[start]], 0
    for i in range(start, len(text)):
        if text[i] == text[start]:
            depth += 1
        elif text[i] == close and not (close == ">" and text[i - 1] in "-="):
            depth -= 1
            if depth == 0:
                return i
    return len(text) - 1


def count_parameters(inside):
    """Counts the parameters between the parentheses of a head: commas outside of brackets."""
    if not inside.strip() or inside.strip() == "void":
        return 0
    depth, count = 0, 1
    for i, char in enumerate(inside):
        if char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and inside[i - 1] not in "-="):
            depth -= 1
        elif char == "," and depth == 0:
            count += 1
    return count


def signature(head):
    """(name, parameters) of a function head, or None for anything else."""
    while TEMPLATE.match(head):
        head = head[matching(head, head.index("<")) + 1:]
    head = OPERATOR.sub(lambda m: "operator" + "_" * (len(m.group()) - 8), head)
    depth = 0
    for i, char in enumerate(head):
        if char == "(" and depth == 0:
            name = NAME.search(head[:i])
            if not name or "=" in head[:name.start()]:
                return None
            word = name.group(1)
            if word in NOT_FUNCTIONS:
                after = matching(head, i) + 1
                inner = signature(head[after:]) if word != "static_assert" else None
                return inner
            if word.isupper() and len(word) > 2 and not word.startswith("TEST"):
                return None  # a macro call
            return word, count_parameters(head[i + 1:matching(head, i)])
        if char == "<":
            depth += 1
        elif char == ">" and head[i - 1] not in "-=":
            depth = max(0, depth - 1)
    return None


def is_initializer(head):
    """Whether a brace after this head opens a value, not a body: `a{1}`, `= {`, `return {`."""
    if not head.strip():
        return False
    return head[-1] in "=,(" or not head[-1].isspace() or bool(
        re.search(r"([=,(]|\breturn|<)\s*$", head))


def functions(text):
    """All functions of blanked C++ text: definitions, declarations and lambdas."""
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m.group()), text,
                  flags=re.MULTILINE)
    found, i, start = [], 0, 0

    def line_at(index):
        return text.count("\n", 0, index) + 1

    def head_line():
        return line_at(start + len(text[start:i]) - len(text[start:i].lstrip()))

    while i < len(text):
        char = text[i]
        if char in "([":
            i = matching(text, i)
        elif char == "{":
            head = text[start:i]
            what = signature(head)
            if is_initializer(head):
                i = matching(text, i)
            elif what:
                end = matching(text, i)
                found.append(Function(what[0], head_line(), line_at(end), what[1]))
                i = end
                start = end + 1
            else:  # descend into namespaces and types; skip other braces
                if not SCOPE.search(head) or re.search(r"\benum\b", head):
                    i = matching(text, i)
                start = i + 1
        elif char in ";}":
            what = signature(text[start:i])
            if char == ";" and what and not re.match(r"\s*(using|typedef|return)\b", text[start:i]):
                line = head_line()
                found.append(Function(what[0], line, line, what[1]))
            start = i + 1
        elif char == ":" and re.fullmatch(r"\s*(public|private|protected)\s*", text[start:i]):
            start = i + 1
        i += 1
    for match in LAMBDA.finditer(text):
        opening = match.end() - 1
        inside = text[opening + 1:matching(text, opening)]
        line = line_at(opening)
        if re.search(r"\w\s+[&*]*\w|&\s*\w", inside):
            found.append(Function("lambda", line, line, count_parameters(inside)))
    return found
