"""Bracketed trees: reading, one token a step for a model to write, mending, and bracket F1."""

import collections
import re

TOKEN = re.compile(r"\(|\)|[^\s()]+")
PUNCTUATION = {",", ":", "``", "''", "."}
ROOT = "S"  # of what has no single root, and the tag of words that have none
MISSING = "NN"


class Tree:
    """A constituent: its label and its children; a word is a leaf, (tag, word)."""

    def __init__(self, label, children):
        self.label, self.children = label, children

    def __str__(self):
        inside = (str(child) if isinstance(child, Tree) else f"({child[0]} {child[1]})"
                  for child in self.children)
        return f"({self.label} {' '.join(inside)})"

    def leaves(self):
        """The (tag, word) pairs, in order."""
        return [leaf for child in self.children
                for leaf in (child.leaves() if isinstance(child, Tree) else [child])]

    def text(self):
        """The words, with spaces between them."""
        return " ".join(word for _, word in self.leaves())

    def constituents(self):
        """This tree and all below it that are no leaves."""
        yield self
        for child in self.children:
            if isinstance(child, Tree):
                yield from child.constituents()


def parse(text):
    """The tree of a line such as (S (NP (PRP It)) (VP (VBZ works))); ValueError if it is none."""
    stack, words = [Tree("", [])], []
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append(Tree("", []))
            words.append([])
        elif token == ")":
            if len(stack) == 1:
                raise ValueError("a bracket closes that none opened")
            close(stack, words.pop())
        elif not words:
            raise ValueError(f"'{token}' is outside of all brackets")
        elif not stack[-1].label and not words[-1]:
            stack[-1].label = token
            words[-1].append(token)
        else:
            words[-1].append(token)
    if len(stack) > 1 or len(stack[0].children) != 1 or not isinstance(stack[0].children[0], Tree):
        raise ValueError("expected one tree with balanced brackets")
    return stack[0].children[0]


def close(stack, words):
    """Ends the constituent on top: `words` has its label, and its word if it is a leaf."""
    tree = stack.pop()
    if len(words) == 2 and not tree.children:
        stack[-1].children.append((words[0], words[1]))
    elif len(words) == 1 and tree.children:
        stack[-1].children.append(tree)
    else:
        raise ValueError(f"'({' '.join(words)} ...)' is neither a word with its tag nor a "
                         "constituent")


def linear(tree):
    """The tokens of a tree without its words: `(NP DT NN )NP`."""
    inside = [token for child in tree.children
              for token in (linear(child) if isinstance(child, Tree) else [child[0]])]
    return [f"({tree.label}", *inside, f"){tree.label}"]


def restored(tokens, words):
    """The tree that tokens say over words, and whether it is theirs in whole. Otherwise it is
    mended: brackets that are open at the end are closed, others that match none and tags without
    a word are left out, words without a tag are appended to the root."""
    root = Tree("", [])
    stack, left, whole = [root], list(reversed(words)), True
    for token in tokens:
        if token.startswith("("):
            stack.append(Tree(token[1:], []))
        elif not token.startswith(")"):
            whole = whole and bool(left)
            if left:
                stack[-1].children.append((token, left.pop()))
        elif len(stack) > 1 and stack[-1].label == token[1:]:
            whole = attach(stack) and whole
        else:
            whole = False
    whole = whole and len(stack) == 1 and not left
    while len(stack) > 1:
        attach(stack)
    if len(root.children) != 1 or not isinstance(root.children[0], Tree):
        root, whole = Tree("", [Tree(ROOT, root.children)]), False
    top = root.children[0]
    top.children += [(MISSING, word) for word in reversed(left)]
    return top, whole


def attach(stack):
    """Ends the constituent on top; whether it has any word. One without is left out."""
    tree = stack.pop()
    if tree.children:
        stack[-1].children.append(tree)
    return bool(tree.children)


def brackets(tree, counted):
    """The labelled spans of a tree, over the words that `counted` says yes to, as EVALB counts
    them: without punctuation, ADVP and PRT the same, without spans of no words."""
    spans, position = collections.Counter(), 0

    def visit(node):
        nonlocal position
        first = position
        for child in node.children:
            if isinstance(child, Tree):
                visit(child)
            else:
                position += 1
        size = sum(counted[first:position])
        if size:
            start = sum(counted[:first])
            spans["ADVP" if node.label == "PRT" else node.label, start, start + size] += 1

    visit(tree)
    return spans


def scores(guesses, golds):
    """Bracket F1 with its precision and recall, the share of trees with all brackets right, and of
    tags. Both sides have the same words."""
    right = guessed = expected = complete = tags = words = 0
    for guess, gold in zip(guesses, golds):
        counted = [tag not in PUNCTUATION for tag, _ in gold.leaves()]
        found, true = brackets(guess, counted), brackets(gold, counted)
        right += sum((found & true).values())
        guessed += sum(found.values())
        expected += sum(true.values())
        complete += found == true
        tags += sum(map(tuple.__eq__, guess.leaves(), gold.leaves()))
        words += len(counted)
    return {"bracket F1": 2 * right / max(1, guessed + expected),
            "precision": right / max(1, guessed), "recall": right / max(1, expected),
            "complete": complete / len(golds), "tags": tags / max(1, words)}
