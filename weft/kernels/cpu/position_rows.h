// Tables by position, made for a call.
#ifndef WEFT_KERNELS_CPU_POSITION_ROWS_H_
#define WEFT_KERNELS_CPU_POSITION_ROWS_H_

#include <algorithm>
#include <span>
#include <vector>

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

// A row of floats for each position that occurs, made once.
class PositionRows {
 public:
  // fill(position, to) writes a row of `width` floats.
  template <class Fill>
  PositionRows(std::span<const int32_t> positions, int64_t width, const Fill& fill)
      : width_(width) {
    const auto [low, high] = std::ranges::minmax(positions);
    low_ = low;
    slot_.resize(static_cast<size_t>(high - low + 1), -1);
    std::vector<int32_t> used;
    for (const int32_t position : positions) {
      int64_t& slot = slot_[static_cast<size_t>(position - low_)];
      if (slot >= 0) continue;
      slot = std::ssize(used);
      used.push_back(position);
    }
    rows_.resize(used.size() * static_cast<size_t>(width));
    constexpr int64_t kWorkOfAnAngle = 16;
    parallel_rows(std::ssize(used), kWorkOfAnAngle * width, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fill(used[i], rows_.data() + i * width);
    });
  }

  const float* at(int32_t position) const {
    return rows_.data() + slot_[static_cast<size_t>(position - low_)] * width_;
  }

 private:
  int64_t width_;
  int32_t low_ = 0;
  std::vector<int64_t> slot_;
  std::vector<float> rows_;
};

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_POSITION_ROWS_H_
