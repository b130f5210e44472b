#include "weft/train/records/parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weft::train {
namespace {

constexpr int64_t kBins = 64;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

template <class Visit>
void for_each_finite(const Part& part, const Tensor& flat, Visit&& visit) {
  for (const Range& range : part.ranges) {
    for (const float value : flat.col_range(range.begin, range.end).span<float>()) {
      if (std::isfinite(value)) visit(static_cast<double>(value));
    }
  }
}

}  // namespace

std::string part_name(const std::string& parameter) {
  for (size_t begin = 0; begin < parameter.size();) {
    const size_t end = std::min(parameter.find('.', begin), parameter.size());
    if (is_number(std::string_view(parameter).substr(begin, end - begin))) {
      return parameter.substr(0, end);
    }
    begin = end + 1;
  }
  return parameter.substr(0, parameter.rfind('.'));
}

std::vector<Part> parts_of(const std::vector<nn::NamedParameter>& parameters) {
  std::vector<Part> parts;
  int64_t begin = 0;
  for (const auto& [name, p] : parameters) {
    const Range range{begin, begin + p->shape.size()};
    begin = range.end;
    if (p->is_frozen || p->is_buffer) continue;
    const std::string part = part_name(name);
    auto found = std::ranges::find(parts, part, &Part::name);
    if (found == parts.end()) found = parts.insert(found, {.name = part, .ranges = {}});
    if (!found->ranges.empty() && found->ranges.back().end == range.begin) {
      found->ranges.back().end = range.end;
    } else {
      found->ranges.push_back(range);
    }
  }
  return parts;
}

double norm_of(const Part& part, const Tensor& flat) {
  double sum = 0;
  for (const Range& range : part.ranges) {
    sum += sum_of_squares(flat.col_range(range.begin, range.end));
  }
  return std::sqrt(sum);
}

Histogram histogram_of(const Part& part, const Tensor& flat) {
  Histogram out;
  out.min = std::numeric_limits<double>::infinity();
  out.max = -out.min;
  for_each_finite(part, flat, [&](double value) {
    ++out.count;
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    out.sum += value;
    out.sum_of_squares += value * value;
  });
  if (out.count == 0) return {};
  const int64_t bins = out.min < out.max ? kBins : 1;
  const double width = (out.max - out.min) / static_cast<double>(bins);
  const double scale = width > 0 ? 1 / width : 0;
  std::array<int64_t, kBins> counts{};
  for_each_finite(part, flat, [&](double value) {
    const auto bin = static_cast<int64_t>((value - out.min) * scale);
    ++counts[static_cast<size_t>(std::min(bin, bins - 1))];
  });
  for (int64_t i = 0; i < bins; ++i) {
    const bool is_last = i + 1 == bins;
    out.limits.push_back(is_last ? out.max : out.min + width * static_cast<double>(i + 1));
    out.counts.push_back(static_cast<double>(counts[static_cast<size_t>(i)]));
  }
  return out;
}

}  // namespace weft::train
