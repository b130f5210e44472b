// Normalisers of a tokenizer.json: they change text before it is cut into words.
#ifndef WEFT_DATA_SUBWORDS_NODES_NORMALISER_H_
#define WEFT_DATA_SUBWORDS_NODES_NORMALISER_H_

#include <memory>
#include <vector>

#include "weft/data/subwords/aligned_text.h"
#include "weft/data/subwords/nodes/json_node.h"
#include "weft/data/subwords/pattern.h"

namespace weft::data {

class Normaliser {
 public:
  virtual ~Normaliser() = default;
  virtual AlignedText apply(AlignedText text) const = 0;
};

using Normalisers = std::vector<std::unique_ptr<const Normaliser>>;

// In the order in which they are applied. Throws FormatError for a node that is not supported.
Normalisers read_normalisers(JsonNode node);

AlignedText normalised(const Normalisers& normalisers, AlignedText text);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_NORMALISER_H_
