// The pre-tokenisers that GGUF files name in `tokenizer.ggml.pre`.
#ifndef WEFT_DATA_SUBWORDS_GGUF_WORDS_H_
#define WEFT_DATA_SUBWORDS_GGUF_WORDS_H_

#include <nlohmann/json.hpp>
#include <string_view>

namespace weft::data {

struct GgufWords {
  nlohmann::ordered_json pre_tokenizer;  // a node of a tokenizer.json
  nlohmann::ordered_json normalizer;     // likewise, or null
  bool ignore_merges = false;
  bool add_bos = false;  // where the file does not say it
};

// Throws FormatError, prefixed with `where`, for a name that is not known.
GgufWords gguf_words(std::string_view name, std::string_view where);

// The name of a pre-tokeniser that does the same as these nodes; empty: none does.
std::string_view gguf_words_name(const GgufWords& words);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_GGUF_WORDS_H_
