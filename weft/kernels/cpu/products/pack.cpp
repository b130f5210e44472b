#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "weft/kernels/cpu/products/packed_rows.h"
#include "weft/kernels/packed.h"
#include "weft/kernels/ref/blocks.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kWord = 4;  // per row in a k-block

// Packs up to 16 rows of bytes in words and fills the remaining k-blocks with zeros.
void pack_panel(Matrix<const std::byte> from, std::span<std::byte> to) {
  const int64_t whole = from.cols / kWord, rest = from.cols % kWord;
  if (from.rows < kPanelRows) std::fill(to.begin(), to.end(), std::byte{0});
  for (int64_t i = 0; i < whole; ++i) {
    std::byte* block = to.data() + i * kKBlockBytes;
    if (from.rows == kPanelRows) {
#pragma GCC unroll 16
      for (int64_t r = 0; r < kPanelRows; ++r) {
        std::memcpy(block + r * kWord, from.row(r) + i * kWord, kWord);
      }
    } else {
      for (int64_t r = 0; r < from.rows; ++r) {
        std::memcpy(block + r * kWord, from.row(r) + i * kWord, kWord);
      }
    }
  }
  const std::span<std::byte> tail = to.subspan(static_cast<size_t>(whole * kKBlockBytes));
  std::fill(tail.begin(), tail.end(), std::byte{0});
  for (int64_t r = 0; rest > 0 && r < from.rows; ++r) {
    std::memcpy(tail.data() + r * kWord, from.row(r) + whole * kWord, static_cast<size_t>(rest));
  }
}

// Calls body(col, element) for the columns of a row.
template <class T, class Body>
void for_each_element(const Packed& w, int64_t row, Body body) {
  constexpr int64_t kBlockCols = k_block_cols(dtype_of<T>());
  const auto* words = static_cast<const std::byte*>(w.panels) +
                      row / kPanelRows * panel_bytes(w.type, w.cols) + row % kPanelRows * kWord;
  for (int64_t col = 0; col < w.cols; ++col) {
    body(col,
         reinterpret_cast<const T*>(words + col / kBlockCols * kKBlockBytes)[col % kBlockCols]);
  }
}

}  // namespace

void run(const Pack& k) {
  const View& w = k.w;
  if (!is_packable(w.dtype)) return ref::run(k);
  const int64_t size = panel_bytes(w.dtype, w.cols);
  const auto stride = w.stride * static_cast<int64_t>(size_of(w.dtype));
  const auto bytes = w.cols * static_cast<int64_t>(size_of(w.dtype));
  for_each_row(panels_of(w.rows), kPanelRows * w.cols, [&](int64_t p) {
    const int64_t first = p * kPanelRows, rows = std::min(kPanelRows, w.rows - first);
    auto* to = static_cast<std::byte*>(k.panels) + p * size;
    pack_panel({static_cast<const std::byte*>(w.at(first, 0)), rows, bytes, stride},
               {to, static_cast<size_t>(size)});
    if (!k.sums) return;
    std::fill_n(k.sums + first, kPanelRows, 0);
    for (int64_t r = first; r < first + rows; ++r) {
      const int8_t* row = w.as<int8_t>().row(r);
      k.sums[r] = std::accumulate(row, row + w.cols, 0);
    }
  });
}

void unpack_row(const Packed& w, int64_t row, float* to) {
  if (w.is_in_blocks()) return ref::unpack_block_row(w, row, to);
  switch (w.dtype()) {
    case DType::kI8:
      return for_each_element<int8_t>(w, row, [=, scale = w.scales[row]](int64_t i, int8_t value) {
        to[i] = scale * static_cast<float>(value);
      });
    case DType::kBF16:
      return for_each_element<BF16>(
          w, row, [=](int64_t i, BF16 value) { to[i] = static_cast<float>(value); });
    default: for_each_element<float>(w, row, [=](int64_t i, float value) { to[i] = value; });
  }
}

}  // namespace weft::kernels::cpu
