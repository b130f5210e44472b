// BERT's normaliser (Devlin et al. 2019).
#ifndef WEFT_DATA_SUBWORDS_NODES_BERT_NORMALISER_H_
#define WEFT_DATA_SUBWORDS_NODES_BERT_NORMALISER_H_

#include <memory>

#include "weft/data/subwords/nodes/normaliser.h"

namespace weft::data {

std::unique_ptr<const Normaliser> read_bert_normaliser(JsonNode& node);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_BERT_NORMALISER_H_
