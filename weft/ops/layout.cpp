#include "weft/ops/layout.h"

#include <cmath>

#include "weft/core/error.h"

namespace weft::ops {

LayoutPtr make_layout(Segments segments) {
  if (segments.offsets.empty() || segments.offsets.front() != 0) {
    fail<ShapeError>("rows", "offsets must start with 0");
  }
  std::vector<int32_t> sequence, position;
  sequence.reserve(static_cast<size_t>(segments.rows()));
  position.reserve(static_cast<size_t>(segments.rows()));
  for (int64_t b = 0; b < segments.count(); ++b) {
    if (segments.length(b) < 0) {
      fail<ShapeError>("rows", "offset {} falls from {} to {}", b + 1, segments.begin(b),
                       segments.end(b));
    }
    for (int32_t t = 0; t < segments.length(b); ++t) {
      sequence.push_back(segments.first + static_cast<int32_t>(b));
      position.push_back(t);
    }
  }
  return std::make_shared<const Layout>(
      Layout{std::move(segments), std::move(sequence), std::move(position), {}});
}

Ids make_ids(std::vector<int32_t> ids) {
  return std::make_shared<const std::vector<int32_t>>(std::move(ids));
}

DropoutParams make_dropout(double p, PhiloxKey key, uint32_t stream, LayoutPtr rows) {
  if (!(p >= 0 && p < 1)) fail<OptionError>("dropout", "expected 0 <= p < 1, got {}", p);
  DropoutParams out;
  out.mask.threshold = static_cast<uint32_t>(std::lround(p * 65536));
  out.mask.stream = stream;
  out.mask.key = key;
  out.mask.sequence = rows->sequence.data();
  out.mask.position = rows->position.data();
  out.rows = std::move(rows);
  return out;
}

}  // namespace weft::ops
