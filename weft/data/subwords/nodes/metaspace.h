// Metaspace: spaces as a visible character, U+2581, which SentencePiece writes for them.
#ifndef WEFT_DATA_SUBWORDS_NODES_METASPACE_H_
#define WEFT_DATA_SUBWORDS_NODES_METASPACE_H_

#include <string>

#include "weft/data/subwords/nodes/json_node.h"

namespace weft::data {

enum class Prepend { kAlways, kFirst, kNever };  // before each piece, the first, none

struct Metaspace {
  std::string replacement;  // one character
  Prepend prepend = Prepend::kAlways;
  bool split = true;
};

// Of a pre-tokeniser or decoder.
Metaspace read_metaspace(JsonNode& node);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_METASPACE_H_
