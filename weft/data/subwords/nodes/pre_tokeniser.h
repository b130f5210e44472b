// Pre-tokenisers of a tokenizer.json: they cut text into words, which the model cuts into subwords.
#ifndef WEFT_DATA_SUBWORDS_NODES_PRE_TOKENISER_H_
#define WEFT_DATA_SUBWORDS_NODES_PRE_TOKENISER_H_

#include <memory>
#include <vector>

#include "weft/data/subwords/split_text.h"

namespace weft::data {

class PreTokeniser {
 public:
  virtual ~PreTokeniser() = default;
  virtual void apply(SplitText& text) const = 0;
};

struct PreTokenisers {
  std::vector<std::unique_ptr<const PreTokeniser>> steps;
  // The bytes of each piece become printable characters at last (byte_characters.h). Left to the
  // model, which does it for new words only.
  bool bytes_as_characters = false;
};

// Throws FormatError for a node that is not supported.
PreTokenisers read_pre_tokenisers(JsonNode node);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_PRE_TOKENISER_H_
