#!/usr/bin/env python3
"""Questions about a story, answered from one or two of its sentences, as in the first two tasks of
bAbI (Weston et al. 2015, arXiv 1502.05698).

    python3 recipes/stories.py --set one
    python3 recipes/stories.py --set two

Makes the stories by a fixed seed. The model reads story and question in one line, with a separator
between them, and writes the sentences that the answer follows from, a separator and the answer.
"""

import random

import recipe

SEPARATOR = "<sep>"
PEOPLE = "Mary John Sandra Daniel Lucy Peter".split()
PLACES = "bathroom bedroom garden hallway kitchen office".split()
THINGS = "apple book football milk".split()
GO = ("went to", "moved to", "travelled to", "journeyed to")
TAKE = ("took", "picked up", "got", "grabbed")
LEAVE = ("dropped", "put down", "left")
SIZES = {"train": 40000, "valid": 1000, "test": 2000}
LONGEST = {"one": 10, "two": 16}  # sentences of a story


class World:
    """Who is where and has what, each with the sentences that say so."""

    def __init__(self, chance):
        self.chance, self.moves, self.owners, self.left = chance, {}, {}, {}

    def pick(self, choices):
        return choices[self.chance.randrange(len(choices))]

    def place_of(self, who):
        return self.moves[who][0] if who in self.moves else None

    def go(self):
        who = self.pick(PEOPLE)
        where = self.pick([place for place in PLACES if place != self.place_of(who)])
        sentence = f"{who} {self.pick(GO)} the {where} ."
        self.moves[who] = where, [sentence]
        return sentence

    def handle(self):
        """Someone takes or leaves a thing; None if nobody can."""
        who = self.pick(PEOPLE)
        has = [thing for thing, (owner, _) in self.owners.items() if owner == who]
        if has and self.chance.random() < 0.5:
            thing = self.pick(has)
            del self.owners[thing]
            sentence = f"{who} {self.pick(LEAVE)} the {thing} ."
            where, facts = self.moves[who]
            self.left[thing] = where, [sentence, *facts]
            return sentence
        free = [thing for thing in THINGS if thing not in self.owners and (
            thing not in self.left or self.left[thing][0] == self.place_of(who))]
        if who not in self.moves or not free:
            return None
        thing = self.pick(free)
        sentence = f"{who} {self.pick(TAKE)} the {thing} ."
        self.owners[thing] = who, sentence
        self.left.pop(thing, None)
        return sentence

    def things(self):
        """{thing: (its place, the sentences that say so)}"""
        held = {}
        for thing, (who, sentence) in self.owners.items():
            where, facts = self.moves[who]
            held[thing] = where, [sentence, *facts]
        return self.left | held


def story(kind, chance):
    """(story TAB question, facts and answer). A question about a thing needs to know who had it
    last, and where that person was."""
    world, sentences = World(chance), []
    length = 2 + chance.randrange(LONGEST[kind] - 1)
    while True:
        sentence = world.handle() if kind == "two" and chance.random() < 0.45 else world.go()
        sentences += [sentence] if sentence else []
        known = world.moves if kind == "one" else world.things()
        if len(sentences) >= length and known:
            asked = world.pick(sorted(known))
            name = asked if kind == "one" else f"the {asked}"
            answer, facts = known[asked]
            return (f"{' '.join(sentences)}\tWhere is {name} ?",
                    f"{' '.join(facts)} {SEPARATOR} {answer}")


def answer_of(text):
    """What follows the facts."""
    return text.rpartition(f" {SEPARATOR} ")[2]


class Stories(recipe.Recipe):
    """Question answering over a story."""

    name = "stories"
    sets = {"one": "one supporting fact", "two": "two supporting facts"}
    file_help = "story TAB question TAB answer"

    def fetch(self, chosen, data, folder):
        chance, pairs = random.Random(1), {}
        while len(pairs) < sum(SIZES.values()):
            source, target = story(chosen, chance)
            pairs[source] = target
        pairs = iter(pairs.items())
        return {part: [next(pairs) for _ in range(size)] for part, size in SIZES.items()}

    def read(self, path):
        return [(f"{text}\t{question}", answer)
                for text, question, answer in recipe.read_columns(path, 3)]

    def figures(self, examples, results):
        right = [target for _, target in examples]
        return {"answers right": recipe.exact(list(map(answer_of, results)),
                                              list(map(answer_of, right))),
                "facts and answers right": recipe.exact(results, right)}

    def source(self, line):
        return line.replace("\t", f" {SEPARATOR} ")


if __name__ == "__main__":
    recipe.main(Stories())
