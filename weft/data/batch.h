// Ragged batches: sentences packed one after the other, nothing padded.
#ifndef WEFT_DATA_BATCH_H_
#define WEFT_DATA_BATCH_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::data {

// B sentences of N ids in all; sentence b is ids[offsets[b]] .. ids[offsets[b + 1]].
struct Ragged {
  std::vector<int32_t> ids;         // [N]
  std::vector<int32_t> offsets{0};  // [B + 1]

  int64_t sentences() const { return std::ssize(offsets) - 1; }
  int64_t rows() const { return std::ssize(ids); }
  std::span<const int32_t> operator[](int64_t sentence) const {
    return std::span(ids).subspan(offsets[sentence], offsets[sentence + 1] - offsets[sentence]);
  }
  void add(std::span<const int32_t> sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offsets.push_back(static_cast<int32_t>(ids.size()));
  }
  // The same with `last` (the end symbol) after it.
  void add(std::span<const int32_t> sentence, int32_t last) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    ids.push_back(last);
    offsets.push_back(static_cast<int32_t>(ids.size()));
  }
};

// Sentences `sentences`, each ending with `end_id`.
Ragged make_ragged(const std::vector<std::vector<int32_t>>& sentences, int32_t end_id);

// The same sentences on every side: sources first, the target last, each with its end symbol. The
// target is not shifted.
struct Batch {
  std::vector<Ragged> sides;
  std::vector<int64_t> numbers;  // [B] of each sentence in its corpus

  int64_t sentences() const { return std::ssize(numbers); }
  const Ragged& source() const { return sides.front(); }
  const Ragged& target() const { return sides.back(); }
};

// Numbers of the sentences, those of most ids first; equals stay in their order.
std::vector<int64_t> longest_first(const Ragged& sentences);

// Sentences [begin, end) of a batch.
Batch slice(const Batch& batch, int64_t begin, int64_t end);

}  // namespace weft::data

#endif  // WEFT_DATA_BATCH_H_
