#include "weft/data/labels/numbers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"

namespace weft::data {
namespace {

// Throws FormatError for what is no number that float32 has.
float number_of(std::string_view text, std::string_view where) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value);
  const auto number = static_cast<float>(value);
  if (code != std::errc() || stop != end || !std::isfinite(number)) {
    fail<FormatError>(where, "{} is not a number; expected one such as 3.5 or -1e-3", quote(text));
  }
  return number;
}

}  // namespace

void NumberReader::add(std::string_view text, std::string_view where) {
  const std::string breaks = separators_ + " ";
  std::vector<float> row;
  for (size_t begin = 0; (begin = text.find_first_not_of(breaks, begin)) != text.npos;) {
    const size_t end = std::min(text.find_first_of(breaks, begin), text.size());
    row.push_back(number_of(text.substr(begin, end - begin), where));
    begin = end;
  }
  if (width_ == 0) width_ = std::ssize(row);
  if (row.empty() || std::ssize(row) != width_) {
    fail<FormatError>(where, "{} in {}; expected {}", counted(std::ssize(row), "number"),
                      quote(text), std::max<int64_t>(width_, 1));
  }
  all_.insert(all_.end(), row.begin(), row.end());
  if (!seen_.emplace(text, true).second) return;
  texts_.emplace_back(text);
  values_.insert(values_.end(), row.begin(), row.end());
}

NumberTable NumberReader::table(std::string_view name) const {
  return {LabelSet(texts_, name), values_, width_, channel_statistics(all_, width_)};
}

NumberedExamples::NumberedExamples(std::shared_ptr<const LabelledDataset> examples,
                                   NumberTable numbers)
    : examples_(std::move(examples)), numbers_(std::move(numbers)) {}

Batch NumberedExamples::batch(std::span<const int64_t> examples) const {
  Batch out = examples_->batch(examples);
  auto& labels = std::get<Labels>(out.fields[1]);
  Segments segments = labels.segments;
  for (int32_t& offset : segments.offsets) offset *= static_cast<int32_t>(numbers_.width);
  Labels numbers{.ids = {}, .values = {}, .segments = std::move(segments)};
  for (const int32_t text : labels.ids) {
    const std::span<const float> row = numbers_[text];
    numbers.values.insert(numbers.values.end(), row.begin(), row.end());
  }
  labels = std::move(numbers);
  return out;
}

uint64_t NumberedExamples::fingerprint() const {
  Hash hash;
  hash.add(examples_->fingerprint());
  for (const float value : numbers_.values) hash.add(std::bit_cast<uint32_t>(value));
  return hash.value();
}

std::vector<float> NumberedExamples::numbers() const {
  std::vector<float> out;
  for (int64_t example = 0; example < labelled(); ++example) {
    const std::span<const float> row = numbers_[examples_->labels(example, 0).front()];
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

}  // namespace weft::data
