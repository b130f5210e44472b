#include "weft/ops/rows.h"

#include <cmath>

#include "weft/core/error.h"

namespace weft::ops {

RowsPtr make_rows(std::span<const int32_t> offsets, int32_t first_sentence) {
  if (offsets.empty() || offsets.front() != 0) {
    fail<ShapeError>("rows", "offsets must start with 0");
  }
  auto rows = std::make_shared<Rows>();
  rows->offsets.assign(offsets.begin(), offsets.end());
  rows->sentence.reserve(static_cast<size_t>(offsets.back()));
  rows->position.reserve(static_cast<size_t>(offsets.back()));
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    if (offsets[b + 1] < offsets[b]) {
      fail<ShapeError>("rows", "offset {} falls from {} to {}", b + 1, offsets[b], offsets[b + 1]);
    }
    for (int32_t t = 0; t < offsets[b + 1] - offsets[b]; ++t) {
      rows->sentence.push_back(first_sentence + static_cast<int32_t>(b));
      rows->position.push_back(t);
    }
  }
  return rows;
}

Ids make_ids(std::vector<int32_t> ids) {
  return std::make_shared<const std::vector<int32_t>>(std::move(ids));
}

DropoutSite make_dropout(double p, PhiloxKey key, uint32_t site, RowsPtr rows) {
  if (!(p >= 0 && p < 1)) fail<OptionError>("dropout", "expected 0 <= p < 1, got {}", p);
  DropoutSite out;
  out.mask.threshold = static_cast<uint32_t>(std::lround(p * 65536));
  out.mask.site = site;
  out.mask.key = key;
  out.mask.sentence = rows->sentence.data();
  out.mask.position = rows->position.data();
  out.rows = std::move(rows);
  return out;
}

}  // namespace weft::ops
