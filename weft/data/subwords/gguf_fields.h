// The fields `tokenizer.ggml.*` of a GGUF file, from a tokeniser.
#ifndef WEFT_DATA_SUBWORDS_GGUF_FIELDS_H_
#define WEFT_DATA_SUBWORDS_GGUF_FIELDS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "weft/data/subwords/tokenizer_document.h"

namespace weft::data {

// What a model says of its tokens.
struct TokenRoles {
  int64_t size = 0;  // of its vocabulary; ids that no token has become unused tokens
  int64_t begin_id = 0;
  std::span<const int64_t> end_ids = {};  // 1 to 3
  bool adds_begin = false;
  bool is_encoder = false;  // the begin and end symbols stand around each text
  int64_t token_types = 0;  // of an encoder; 0: it reads none
};

// Throws OptionError for a tokeniser that GGUF does not have: of a language model byte-level BPE
// whose pre-tokeniser has no name there, and BPE with visible spaces whose merges are not those of
// scores; of an encoder any but WordPiece with BERT's rules.
nlohmann::ordered_json gguf_tokeniser_fields(const TokenizerDocument& document,
                                             const TokenRoles& roles);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_GGUF_FIELDS_H_
