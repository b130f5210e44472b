#!/usr/bin/env python3
"""Questions about a story, answered from one or two of its sentences, as in the first two tasks of
bAbI (Weston et al. 2015, arXiv 1502.05698).

    python3 recipes/stories.py --set one
    python3 recipes/stories.py --set two

Makes the stories by a fixed seed. The model reads story and question in one line, with a separator
between them, and writes the answer.
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
    """Who is where and has what; each change is a sentence."""

    def __init__(self, chance):
        self.chance, self.places, self.owners, self.left = chance, {}, {}, {}

    def pick(self, choices):
        return choices[self.chance.randrange(len(choices))]

    def go(self):
        who = self.pick(PEOPLE)
        where = self.pick([place for place in PLACES if place != self.places.get(who)])
        self.places[who] = where
        return f"{who} {self.pick(GO)} the {where} ."

    def handle(self):
        """Someone takes or leaves a thing; None if nobody can."""
        who = self.pick(PEOPLE)
        has = [thing for thing, owner in self.owners.items() if owner == who]
        if has and self.chance.random() < 0.5:
            thing = self.pick(has)
            del self.owners[thing]
            self.left[thing] = self.places.get(who)
            return f"{who} {self.pick(LEAVE)} the {thing} ."
        free = [thing for thing in THINGS if thing not in self.owners
                and self.left.get(thing, self.places.get(who)) == self.places.get(who)]
        if who not in self.places or not free:
            return None
        thing = self.pick(free)
        self.owners[thing] = who
        self.left.pop(thing, None)
        return f"{who} {self.pick(TAKE)} the {thing} ."

    def place_of(self, thing):
        owner = self.owners.get(thing)
        return self.places[owner] if owner else self.left.get(thing)


def story(kind, chance):
    """(story TAB question, answer); a question about a thing needs to know who had it, and where
    that person was."""
    world, sentences = World(chance), []
    length = 2 + chance.randrange(LONGEST[kind] - 1)
    while True:
        sentence = world.handle() if kind == "two" and chance.random() < 0.45 else world.go()
        sentences += [sentence] if sentence else []
        known = (world.places if kind == "one" else
                 {thing: world.place_of(thing) for thing in THINGS if world.place_of(thing)})
        if len(sentences) >= length and known:
            asked = world.pick(sorted(known))
            name = asked if kind == "one" else f"the {asked}"
            return f"{' '.join(sentences)}\tWhere is {name} ?", known[asked]


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

    def source(self, line):
        return line.replace("\t", f" {SEPARATOR} ")


if __name__ == "__main__":
    recipe.main(Stories())
