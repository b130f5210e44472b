#include "weft/kernels/cpu/pack.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kWord = 4;  // bytes of a row in a line

// Up to 16 rows of bytes, moved as words; the lines after them are zeros.
void pack_panel(Matrix<const std::byte> from, std::span<std::byte> to) {
  const int64_t whole = from.cols / kWord, rest = from.cols % kWord;
  if (from.rows < kPanelRows) std::fill(to.begin(), to.end(), std::byte{0});
  for (int64_t i = 0; i < whole; ++i) {
    std::byte* line = to.data() + i * kLineBytes;
    if (from.rows == kPanelRows) {
#pragma GCC unroll 16
      for (int64_t r = 0; r < kPanelRows; ++r) {
        std::memcpy(line + r * kWord, from.row(r) + i * kWord, kWord);
      }
    } else {
      for (int64_t r = 0; r < from.rows; ++r) {
        std::memcpy(line + r * kWord, from.row(r) + i * kWord, kWord);
      }
    }
  }
  const std::span<std::byte> tail = to.subspan(static_cast<size_t>(whole * kLineBytes));
  std::fill(tail.begin(), tail.end(), std::byte{0});
  for (int64_t r = 0; rest > 0 && r < from.rows; ++r) {
    std::memcpy(tail.data() + r * kWord, from.row(r) + whole * kWord, static_cast<size_t>(rest));
  }
}

template <class T>
T element(const Packed& w, int64_t row, int64_t col) {
  constexpr int64_t kGroup = group_of(dtype_of<T>());
  const auto* panel = static_cast<const std::byte*>(w.panels) +
                      row / kPanelRows * panel_bytes(w.dtype, w.cols) + row % kPanelRows * kWord;
  return reinterpret_cast<const T*>(panel + col / kGroup * kLineBytes)[col % kGroup];
}

}  // namespace

void pack(const View& w, void* panels, int32_t* sums) {
  const int64_t size = panel_bytes(w.dtype, w.cols);
  const auto stride = w.stride * static_cast<int64_t>(size_of(w.dtype));
  const auto bytes = w.cols * static_cast<int64_t>(size_of(w.dtype));
  parallel_rows(panels_of(w.rows), kPanelRows * w.cols, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * kPanelRows, rows = std::min(kPanelRows, w.rows - first);
      auto* to = static_cast<std::byte*>(panels) + p * size;
      pack_panel({static_cast<const std::byte*>(w.at(first, 0)), rows, bytes, stride},
                 {to, static_cast<size_t>(size)});
      if (!sums) continue;
      std::fill_n(sums + first, kPanelRows, 0);
      for (int64_t r = first; r < first + rows; ++r) {
        const int8_t* row = w.as<int8_t>().row(r);
        sums[r] = std::accumulate(row, row + w.cols, 0);
      }
    }
  });
}

void unpack_row(const Packed& w, int64_t row, float* to) {
  for (int64_t i = 0; i < w.cols; ++i) {
    switch (w.dtype) {
      case DType::kI8:
        to[i] = w.scales[row] * static_cast<float>(element<int8_t>(w, row, i));
        break;
      case DType::kBF16: to[i] = static_cast<float>(element<BF16>(w, row, i)); break;
      default: to[i] = element<float>(w, row, i);
    }
  }
}

}  // namespace weft::kernels::cpu
