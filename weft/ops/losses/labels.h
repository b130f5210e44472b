// Labels as ops take them.
#ifndef WEFT_OPS_LOSSES_LABELS_H_
#define WEFT_OPS_LOSSES_LABELS_H_

#include <memory>
#include <string_view>

#include "weft/data/batch.h"

namespace weft::ops {

using LabelsPtr = std::shared_ptr<const data::Labels>;

// Texts without their end symbols: what CTC is to spell.
LabelsPtr labels_without_end(const data::Tokens& target);

LabelsPtr make_labels(std::vector<int32_t> ids, Segments segments);

// Throws ShapeError unless these are the ids of `count` examples.
void check_labels(std::string_view where, const data::Labels& labels, int64_t count);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_LABELS_H_
