#!/usr/bin/env python3
"""Questions on a table to SQL: WikiSQL (Zhong et al. 2017, arXiv 1709.00103), by tuning SmolLM2.

    python3 recipes/sql.py --data FOLDER
    python3 recipes/sql.py questions.tsv

FOLDER has train.jsonl, valid.jsonl and test.jsonl, the example data of MLX-LM's LoRA
(github.com/ml-explore/mlx-examples, lora/data): lines {"text": "table: ... columns: ... Q: ... A:
..."}. A line here is "table | columns | question".
"""

import json
import re

from recipe import PARTS, Missing, main, read_lines
from tuned import TunedRecipe

FORM = re.compile(r"table: (.*)\ncolumns: (.*)\nQ: (.*)\nA: (.*)", re.DOTALL)


def example(text):
    """(line, SQL) of a text of the published data."""
    table, columns, question, sql = FORM.fullmatch(text).groups()
    return f"{table} | {columns} | {' '.join(question.split())}", " ".join(sql.split())


class Sql(TunedRecipe):
    name = "sql"
    sets = {"wikisql": "1,000 questions on tables of Wikipedia, in --data"}
    file_help = "table | columns | question TAB SQL, a line each"

    def fetch(self, chosen, data, folder):
        if data is None:
            raise Missing("the questions are not fetched; expected --data with train.jsonl, "
                          "valid.jsonl and test.jsonl of github.com/ml-explore/mlx-examples, "
                          "lora/data")
        return {part: [example(json.loads(line)["text"]) for line in
                       read_lines(data / f"{part}.jsonl")] for part in PARTS}

    def source(self, line):
        fields = line.split(" | ")
        if len(fields) != 3:
            raise Missing(f"'{line}': {len(fields)} fields; expected table | columns | question")
        table, columns, question = fields
        return f"table: {table}\ncolumns: {columns}\nQ: {question}\nA:"


if __name__ == "__main__":
    main(Sql())
