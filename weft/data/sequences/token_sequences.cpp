#include "weft/data/sequences/token_sequences.h"

#include <algorithm>

#include "weft/core/hash.h"

namespace weft::data {

void TokenSequences::add(std::span<const int32_t> ids, const std::vector<bool>& is_label) {
  const int64_t text = append(ids, is_label), count = std::ssize(ids);
  for (int64_t begin = 0; begin + 1 < count; begin += max_length_) {
    add_sequence(text + begin, std::min(max_length_, count - 1 - begin));
  }
}

bool TokenSequences::add_first(std::span<const int32_t> ids, const std::vector<bool>& is_label) {
  const int64_t count = std::min(max_length_ + 1, std::ssize(ids));
  const int64_t text =
      append(ids.first(at(count)),
             {is_label.begin(), is_label.empty() ? is_label.end() : is_label.begin() + count});
  return add_sequence(text, count - 1);
}

int64_t TokenSequences::append(std::span<const int32_t> ids, const std::vector<bool>& is_label) {
  const auto begin = std::ssize(ids_);
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  is_label_.insert(is_label_.end(), is_label.begin(), is_label.end());
  is_label_.resize(ids_.size(), true);
  return begin;
}

bool TokenSequences::add_sequence(int64_t begin, int64_t rows) {
  const auto first = is_label_.begin() + begin + 1;
  const auto labels = std::count(first, first + rows, true);
  if (labels == 0) return false;
  sequences_.push_back(
      {.begin = begin, .rows = static_cast<int32_t>(rows), .labels = static_cast<int32_t>(labels)});
  total_labels_ += labels;
  return true;
}

Batch TokenSequences::batch(std::span<const int64_t> examples) const {
  Tokens inputs;
  Labels labels;
  std::vector<int32_t> row_labels;
  for (const int64_t number : examples) {
    const Sequence& sequence = sequences_[at(number)];
    inputs.add(std::span(ids_).subspan(at(sequence.begin), at(sequence.rows)));
    row_labels.clear();
    for (int64_t i = sequence.begin + 1; i <= sequence.begin + sequence.rows; ++i) {
      row_labels.push_back(is_label_[at(i)] ? ids_[at(i)] : kNoLabel);
    }
    labels.add(row_labels);
  }
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  out.fields.emplace_back(std::move(inputs));
  out.fields.emplace_back(std::move(labels));
  return out;
}

uint64_t TokenSequences::fingerprint() const {
  Hash hash;
  hash.add(ids_.size());
  for (size_t i = 0; i < ids_.size(); ++i) {
    hash.add(static_cast<uint32_t>(ids_[i]) | uint64_t{is_label_[i]} << 32);
  }
  for (const Sequence& sequence : sequences_) {
    hash.add(static_cast<uint64_t>(sequence.begin));
    hash.add(static_cast<uint64_t>(sequence.rows));
  }
  return hash.value();
}

}  // namespace weft::data
