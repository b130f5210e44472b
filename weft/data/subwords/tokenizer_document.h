// What describes a tokeniser: the nodes of a tokenizer.json, with its vocabulary and merges, which
// are most of the file, in a form of their own.
#ifndef WEFT_DATA_SUBWORDS_TOKENIZER_DOCUMENT_H_
#define WEFT_DATA_SUBWORDS_TOKENIZER_DOCUMENT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::data {

using DocumentJson = nlohmann::ordered_json;

inline constexpr int64_t kMaxTokens = 2'000'000;

struct ModelToken {
  std::string text;
  int32_t id = 0;
  double score = 0;  // of a Unigram model
};

struct TokenizerDocument {
  DocumentJson nodes;              // the file without `vocab` and `merges` of the model
  std::vector<ModelToken> tokens;  // of the model, in file order
  std::vector<std::pair<int32_t, int32_t>> merges;  // ids of both tokens, the first merge first
};

// From the text of a tokenizer.json. Throws FormatError, prefixed with `where`.
TokenizerDocument parse_tokenizer_json(std::string_view text, std::string_view where);

// The text of a tokenizer.json, a pure function of the document.
std::string tokenizer_json(const TokenizerDocument& document);

// The text may be a tokenizer.json: it is an object.
bool is_tokenizer_json(std::string_view text);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_TOKENIZER_DOCUMENT_H_
