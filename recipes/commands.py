#!/usr/bin/env python3
"""Commands in English to sequences of actions: SCAN (Lake and Baroni 2018, arXiv 1711.00350).

    python3 recipes/commands.py

Makes all 20,910 commands of SCAN's grammar; four of five, drawn by a fixed seed, are for training.
With --data FOLDER it reads the published sets, tasks_{train,test}_SET.txt[.gz], from
https://github.com/brendenlake/SCAN.
"""

import itertools
import random

import recipe

DIRECTIONS = ("left", "right")
PRIMITIVES = ("walk", "look", "run", "jump")
LONGEST = 22  # actions of a command for training, in the set "length"
VALID = 20  # one in 20 commands for training is for validation


def phrases():
    """(command, its actions) of each phrase without conjunction and repetition."""
    for word in PRIMITIVES:
        yield word, [f"I_{word.upper()}"]
    for word, side in itertools.product((*PRIMITIVES, "turn"), DIRECTIONS):
        turn = [f"I_TURN_{side.upper()}"]
        act = [] if word == "turn" else [f"I_{word.upper()}"]
        yield f"{word} {side}", turn + act
        yield f"{word} opposite {side}", turn * 2 + act
        yield f"{word} around {side}", (turn + act) * 4


def repeated():
    for command, actions in phrases():
        yield command, actions
        yield f"{command} twice", actions * 2
        yield f"{command} thrice", actions * 3


def language():
    """(command, actions) of each command."""
    single = list(repeated())
    pairs = list(single)
    for (first, one), (second, two) in itertools.product(single, single):
        pairs.append((f"{first} and {second}", one + two))
        pairs.append((f"{first} after {second}", two + one))
    return [(command, " ".join(actions)) for command, actions in pairs]


class Commands(recipe.Recipe):
    """SCAN."""

    name = "commands"
    sets = {"simple": "a random fifth of the commands is the test",
            "length": f"commands of more than {LONGEST} actions are the test"}
    file_help = "command TAB actions, words with spaces between them"

    def fetch(self, chosen, data, folder):
        if data:
            train, test = (published(data, part, chosen) for part in ("train", "test"))
        else:
            train, test = generated(chosen)
        return {"train": [pair for n, pair in enumerate(train) if n % VALID],
                "valid": train[::VALID], "test": test}


def generated(chosen):
    pairs = language()
    random.Random(1).shuffle(pairs)
    if chosen == "length":
        is_long = [len(actions.split()) > LONGEST for _, actions in pairs]
        return ([pair for pair, long in zip(pairs, is_long) if not long],
                [pair for pair, long in zip(pairs, is_long) if long])
    return pairs[len(pairs) // 5:], pairs[:len(pairs) // 5]


def published(data, part, chosen):
    path = data / f"tasks_{part}_{chosen}.txt"
    lines = recipe.read_lines(path if path.is_file() else path.with_name(path.name + ".gz"))
    return [tuple(line.removeprefix("IN: ").split(" OUT: ")) for line in lines]


if __name__ == "__main__":
    recipe.main(Commands())
