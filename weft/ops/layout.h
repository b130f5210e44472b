// Segments as ops take them: which sequence and which position each packed row is.
#ifndef WEFT_OPS_LAYOUT_H_
#define WEFT_OPS_LAYOUT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "weft/core/segments.h"
#include "weft/kernels/dropout.h"

namespace weft::ops {

// Segments, with what kernels look up for each row. Where segments are not whole sequences (a step
// of decoding, blocks, clusters), sequence and position are not what the segments alone imply.
struct Layout {
  Segments segments;
  std::vector<int32_t> sequence;  // [N] its index in the global update
  std::vector<int32_t> position;  // [N] in the sequence
  std::vector<int32_t> grid;      // [2N] row and column of each in a picture, or empty

  int64_t count() const { return static_cast<int64_t>(sequence.size()); }
  int64_t sequences() const { return segments.count(); }
};

using LayoutPtr = std::shared_ptr<const Layout>;
using Ids = std::shared_ptr<const std::vector<int32_t>>;

// Throws ShapeError unless offsets start at 0 and never fall.
LayoutPtr make_layout(Segments segments);
Ids make_ids(std::vector<int32_t> ids);

// A dropout in a pass: the mask and the rows its counters name.
struct DropoutParams {
  kernels::DropoutMask mask;
  LayoutPtr rows;

  explicit operator bool() const { return static_cast<bool>(mask); }
};

// Dropout with probability p, rounded to 1/65536; throws OptionError unless 0 <= p < 1.
DropoutParams make_dropout(double p, PhiloxKey key, uint32_t stream, LayoutPtr rows);

}  // namespace weft::ops

#endif  // WEFT_OPS_LAYOUT_H_
