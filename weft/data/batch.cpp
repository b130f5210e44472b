#include "weft/data/batch.h"

namespace weft::data {

Ragged make_ragged(const std::vector<std::vector<int32_t>>& sentences, int32_t end_id) {
  Ragged out;
  for (const std::vector<int32_t>& sentence : sentences) out.add(sentence, end_id);
  return out;
}

}  // namespace weft::data
