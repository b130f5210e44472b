// The one ragged type: examples of any length, packed one after the other.
#ifndef WEFT_CORE_SEGMENTS_H_
#define WEFT_CORE_SEGMENTS_H_

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace weft {

// B segments of N packed rows: segment b is rows offsets[b] to offsets[b + 1].
struct Segments {
  std::vector<int32_t> offsets{0};  // [B + 1], from 0 to N, never falling
  // Index of the first segment in the global update. Random numbers are a function of an example's
  // index there, so that any split over micro-batches and ranks draws the same.
  int32_t first = 0;

  // `count` segments of `length` rows each.
  static Segments uniform(int64_t count, int64_t length) {
    Segments out{{}};
    out.offsets.reserve(static_cast<size_t>(count) + 1);
    for (int64_t b = 0; b <= count; ++b) out.offsets.push_back(static_cast<int32_t>(b * length));
    return out;
  }

  int64_t count() const { return std::ssize(offsets) - 1; }  // B
  int64_t rows() const { return offsets.back(); }            // N
  int32_t begin(int64_t b) const { return offsets[static_cast<size_t>(b)]; }
  int32_t end(int64_t b) const { return offsets[static_cast<size_t>(b) + 1]; }
  int32_t length(int64_t b) const { return end(b) - begin(b); }
  // The elements of `all` [N] that are segment b's.
  template <class T>
  std::span<const T> span(const std::vector<T>& all, int64_t b) const {
    return std::span(all).subspan(begin(b), length(b));
  }

  void append(int64_t length) { offsets.push_back(offsets.back() + static_cast<int32_t>(length)); }
  // Leaves no segment; keeps the memory.
  void clear() { offsets.assign(1, 0); }
  // Segments [begin, end), from row 0 on.
  Segments slice(int64_t begin, int64_t end) const {
    Segments out{{offsets.begin() + begin, offsets.begin() + end + 1},
                 first + static_cast<int32_t>(begin)};
    for (int32_t& offset : out.offsets) offset -= offsets[static_cast<size_t>(begin)];
    return out;
  }
};

}  // namespace weft

#endif  // WEFT_CORE_SEGMENTS_H_
