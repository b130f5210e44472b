#!/usr/bin/env python3
"""Golden frequencies of scaled rotary positions, from Transformers.

    python3 tools/golden/rotary_scaling.py [folder, tests/golden by default]

Writes rotary_scaling.json: a case for each kind of scaling with its options, "base", "head_size",
the "rates" [K / 2], radians a position, and the "magnitude". Static NTK is what Transformers'
dynamic NTK has at a length of `factor` times that of training.
"""

import json
import pathlib
import sys

from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

HEADS, TRAINED = 2, 64
CASES = [
    ("linear", {"factor": 4.0}, {}),
    ("ntk", {"factor": 4.0}, {}),
    ("yarn", {"factor": 4.0, "trained_positions": TRAINED},
     {"original_max_position_embeddings": TRAINED}),
    ("yarn", {"factor": 8.0, "trained_positions": 32, "beta_fast": 8.0, "beta_slow": 2.0,
              "magnitude": 1.5},
     {"original_max_position_embeddings": 32, "beta_fast": 8.0, "beta_slow": 2.0,
      "attention_factor": 1.5}),
    ("llama3", {"factor": 8.0, "trained_positions": TRAINED, "low_factor": 1.0,
                "high_factor": 4.0},
     {"original_max_position_embeddings": TRAINED, "low_freq_factor": 1.0,
      "high_freq_factor": 4.0}),
]


def frequencies(kind, options, fields, base, size):
    rope = {"rope_type": "dynamic" if kind == "ntk" else kind, "rope_theta": base,
            "factor": 1.0 if kind == "ntk" else options["factor"], **fields}
    config = LlamaConfig(hidden_size=HEADS * size, num_attention_heads=HEADS, head_dim=size,
                         max_position_embeddings=TRAINED, rope_parameters=rope)
    length = int(options["factor"]) * TRAINED if kind == "ntk" else None
    rates, magnitude = ROPE_INIT_FUNCTIONS[rope["rope_type"]](config, None, seq_len=length)
    return {"kind": kind, "options": options, "base": base, "head_size": size,
            "rates": rates.double().tolist(), "magnitude": float(magnitude)}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    cases = [frequencies(*case, base, size) for case in CASES
             for base, size in ((10000.0, 16), (500.0, 12))]
    (folder / "rotary_scaling.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
