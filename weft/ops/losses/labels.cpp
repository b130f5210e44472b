#include "weft/ops/losses/labels.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::ops {

LabelsPtr labels_without_end(const data::Tokens& target) {
  data::Labels out;
  for (int64_t b = 0; b < target.examples(); ++b) {
    const auto tokens = target[b];
    out.add(tokens.first(tokens.size() - 1));
  }
  return std::make_shared<const data::Labels>(std::move(out));
}

LabelsPtr make_labels(std::vector<int32_t> ids, Segments segments) {
  return std::make_shared<const data::Labels>(
      data::Labels{.ids = std::move(ids), .values = {}, .segments = std::move(segments)});
}

void check_labels(std::string_view where, const data::Labels& labels, int64_t count) {
  const auto& [ids, values, segments] = labels;
  if (segments.count() == count && segments.offsets.front() == 0 &&
      segments.rows() == std::ssize(ids) && std::ranges::is_sorted(segments.offsets)) {
    return;
  }
  fail<ShapeError>(where, "{} labels of {} examples; expected labels of {} examples", ids.size(),
                   segments.count(), count);
}

}  // namespace weft::ops
