#!/usr/bin/env python3
"""Golden numbers of embeddings of tokens, from the modules of Transformers, in double.

    python3 tools/golden/text_embeddings.py [folder, tests/golden by default]

Writes text_embeddings.json: for each case "ids" [N], "x" [N, D] and the parameters by Weft's names;
of BERT, with "types" [N], and of RoBERTa, whose first position is 2, with learned positions, token
types and a norm; of Gemma 3 scaled by sqrt(D).
"""

import json
import pathlib
import sys

import torch
from transformers import BertConfig, RobertaConfig
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.gemma3.modeling_gemma3 import Gemma3TextScaledWordEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

VOCAB, FEATURES, POSITIONS = 7, 3, 8
IDS, TYPES = [3, 6, 2, 5, 2], [0, 0, 0, 1, 1]
NAMES = {"word_embeddings": "embed_tokens", "position_embeddings": "embed_positions",
         "token_type_embeddings": "embed_token_types", "LayerNorm": "layernorm_embedding",
         "weight": "embed_tokens.weight"}


def renamed(name):
    part, _, rest = name.partition(".")
    return NAMES[part] + ("." + rest if rest else "")


def case(module, **arguments):
    module = module.double().eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    x = module(torch.tensor([IDS]), **arguments)[0]
    return {"ids": IDS, "x": x.tolist(),
            "parameters": {renamed(name): (value[None] if value.dim() == 1 else value).tolist()
                           for name, value in module.named_parameters()}}


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")
    sizes = {"vocab_size": VOCAB, "hidden_size": FEATURES, "num_attention_heads": 1,
             "max_position_embeddings": POSITIONS, "pad_token_id": 1}
    bert = BertConfig(**sizes, type_vocab_size=2)
    roberta = RobertaConfig(**sizes, type_vocab_size=1)
    cases = {
        "bert": case(BertEmbeddings(bert), token_type_ids=torch.tensor([TYPES])) | {"types": TYPES},
        "roberta": case(RobertaEmbeddings(roberta)),
        "gemma3": case(Gemma3TextScaledWordEmbedding(VOCAB, FEATURES, 0, FEATURES**0.5)),
    }
    (folder / "text_embeddings.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    with torch.no_grad():
        main()
