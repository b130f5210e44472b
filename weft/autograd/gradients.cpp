#include "weft/autograd/gradients.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::autograd {
namespace {

using Ranges = std::map<int64_t, int64_t>;

constexpr int64_t kSummedTogether = 8192;  // elements
constexpr int64_t kManyRows = 8;           // more than this part of all are cleared together

// Removes [begin, end) from disjoint ranges, and returns the parts that they contained, in order.
std::vector<std::pair<int64_t, int64_t>> take(Ranges& ranges, int64_t begin, int64_t end) {
  std::vector<std::pair<int64_t, int64_t>> out;
  auto next = ranges.upper_bound(begin);
  if (next != ranges.begin()) --next;
  while (next != ranges.end() && next->first < end) {
    const auto [first, last] = *next;
    if (last <= begin) {
      ++next;
      continue;
    }
    next = ranges.erase(next);
    if (first < begin) ranges.emplace(first, begin);
    if (last > end) ranges.emplace(end, last);
    out.emplace_back(std::max(first, begin), std::min(last, end));
  }
  return out;
}

}  // namespace

Gradients::Gradients(const Tensor& parameters)
    : parameters_(parameters),
      flat_(Tensor::zeros_on_demand(parameters.shape(), sum_type(parameters.dtype()))) {}

const Tensor& Gradients::flat() const {
  if (flat_) settle(0, flat_.size());
  return flat_;
}

Tensor Gradients::of(const Tensor& x) const {
  if (x.node == kParameter && x.shares_storage_with(parameters_)) {
    settle(x.storage_offset(), x.storage_offset() + x.size());
    return at(x.storage_offset(), x.shape());
  }
  const auto found = std::find_if(watched_.begin(), watched_.end(),
                                  [&](const auto& entry) { return entry.first == x.node; });
  if (x.node < 0 || found == watched_.end()) {
    fail("gradients", "no gradient of this tensor; expected a parameter or a watched tensor");
  }
  return found->second;
}

Tensor Gradients::at(int64_t begin, Shape shape) const {
  return flat_.col_range(begin, begin + shape.size()).reshape(shape);
}

Tensor Gradients::target(int64_t begin, Shape shape, bool& fresh) {
  const int64_t end = begin + shape.size();
  const auto owner = stale_.upper_bound(begin);
  fresh = owner != stale_.begin() && std::prev(owner)->second >= end;
  if (fresh) {
    take(stale_, begin, end);
  } else {
    settle(begin, end);
  }
  written_.emplace_back(begin, end);
  return at(begin, shape);
}

Tensor Gradients::target_rows(int64_t begin, Shape shape, std::span<const int32_t> rows) {
  settle(begin, begin + shape.size());
  std::vector<int32_t> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (std::ssize(sorted) > shape.rows() / kManyRows) {
    written_.emplace_back(begin, begin + shape.size());
    return at(begin, shape);
  }
  for (const int32_t row : sorted) {
    const int64_t first = begin + row * shape.cols();
    written_.emplace_back(first, first + shape.cols());
  }
  return at(begin, shape);
}

double Gradients::sum_of_squares() const {
  settle(0, flat_.size());
  auto ranges = written_;
  std::ranges::sort(ranges);
  double sum = 0;
  int64_t begin = 0, end = 0;  // the range that grows
  const auto add = [&] {
    if (begin < end) sum += weft::sum_of_squares(flat_.col_range(begin, end));
  };
  for (const auto& [first, last] : ranges) {
    const int64_t from = first / kSummedTogether * kSummedTogether;
    const int64_t to = (last + kSummedTogether - 1) / kSummedTogether * kSummedTogether;
    if (from > end) {
      add();
      begin = from;
    }
    end = std::max(end, std::min(to, flat_.size()));
  }
  add();
  return sum;
}

void Gradients::clear_range(int64_t begin, int64_t end) {
  settle(begin, end);
  for (const auto& [first, last] : written_) {
    const int64_t from = std::max(first, begin), to = std::min(last, end);
    if (from >= to) continue;
    backend_of(flat_)(kernels::Fill{.y = flat_.col_range(from, to), .value = 0});
  }
}

void Gradients::clear() {
  std::vector<std::pair<int64_t, int64_t>> ranges(stale_.begin(), stale_.end());
  ranges.insert(ranges.end(), written_.begin(), written_.end());
  std::ranges::sort(ranges);
  stale_.clear();
  for (const auto& [first, last] : ranges) {
    if (!stale_.empty() && first <= stale_.rbegin()->second) {
      stale_.rbegin()->second = std::max(stale_.rbegin()->second, last);
    } else {
      stale_.emplace_hint(stale_.end(), first, last);
    }
  }
  written_.clear();
  watched_.clear();
}

void Gradients::settle(int64_t begin, int64_t end) const {
  for (const auto& [first, last] : take(stale_, begin, end)) {
    backend_of(flat_)(kernels::Fill{.y = flat_.col_range(first, last), .value = 0});
  }
}

}  // namespace weft::autograd
