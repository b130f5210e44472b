// Post-processors of a tokenizer.json: they put special tokens around the tokens of a text, or of
// two.
#ifndef WEFT_DATA_SUBWORDS_NODES_POST_PROCESSOR_H_
#define WEFT_DATA_SUBWORDS_NODES_POST_PROCESSOR_H_

#include <cstdint>
#include <vector>

#include "weft/data/subwords/nodes/json_node.h"

namespace weft::data {

// A part of the result: special tokens, or one of the texts.
struct TemplatePart {
  enum class Kind { kSpecial, kFirst, kSecond };
  Kind kind = Kind::kFirst;
  std::vector<int32_t> ids = {};  // of special tokens
  int32_t type = 0;               // token_type_ids of BERT
};

struct PostProcessor {
  std::vector<TemplatePart> single = {{TemplatePart::Kind::kFirst}};
  std::vector<TemplatePart> pair = {{TemplatePart::Kind::kFirst},
                                    {TemplatePart::Kind::kSecond, {}, 1}};
  bool trims_spans = false;        // spans of tokens are without the spaces at their ends
  bool keeps_first_space = false;  // save one at the beginning of the text, which was added
};

// Throws FormatError for a node that is not supported.
PostProcessor read_post_processor(JsonNode node);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_POST_PROCESSOR_H_
