#include "weft/data/batch.h"

namespace weft::data {

Ragged make_ragged(const std::vector<std::vector<int32_t>>& sentences, int32_t end_id) {
  Ragged out;
  for (const std::vector<int32_t>& sentence : sentences) out.add(sentence, end_id);
  return out;
}

Batch slice(const Batch& batch, int64_t begin, int64_t end) {
  Batch out;
  for (const Ragged& side : batch.sides) {
    Ragged& part = out.sides.emplace_back();
    for (int64_t b = begin; b < end; ++b) part.add(side[b]);
  }
  out.lines.assign(batch.lines.begin() + begin, batch.lines.begin() + end);
  return out;
}

}  // namespace weft::data
