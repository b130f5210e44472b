// The normaliser Precompiled: SentencePiece's table (charsmap.h), as Hugging Face's tokenizers
// apply it, grapheme by grapheme.
#ifndef WEFT_DATA_SUBWORDS_NODES_PRECOMPILED_H_
#define WEFT_DATA_SUBWORDS_NODES_PRECOMPILED_H_

#include <memory>

#include "weft/data/subwords/nodes/normaliser.h"

namespace weft::data {

std::unique_ptr<const Normaliser> read_precompiled(JsonNode& node);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_PRECOMPILED_H_
