#include <algorithm>

#include "weft/core/parallel.h"
#include "weft/kernels/cpu/instructions.h"
#include "weft/kernels/cpu/products/block_kernel.h"
#include "weft/kernels/cpu/products/packed_rows.h"
#include "weft/kernels/cpu/scratch.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kChunkBytes = 3 << 18;  // of prepared rows, to fit the cache
constexpr int64_t kWideBytes = 1 << 19;   // of panels, to fit the cache
constexpr int64_t kGroupBytes = 1 << 15;  // of panels whose sums are finished together
constexpr int64_t kTallRows = 96;         // least rows per thread where threads share the rows
constexpr int64_t kMinThreadWork = 1 << 18;
constexpr int64_t kMaxPrefetch = 1 << 18;  // bytes prefetched ahead
constexpr int64_t kIntegerDots = 8;        // rows up to which it is memory-bound

constexpr int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

// K-blocks that hold the columns, without padding.
constexpr int64_t filled_k_blocks(DType type, int64_t cols) {
  return (cols + k_block_cols(type) - 1) / k_block_cols(type);
}

bool has_tiles(DType type) {
  return allows_avx512() &&
         (type == DType::kI8 ? has_int8_tiles() : type == DType::kBF16 && has_bf16_tiles());
}

bool has_dots(DType type) {
  return allows_avx512() &&
         (type == DType::kI8 ? has_byte_dots() : type == DType::kBF16 && has_bf16_dots());
}

// One product by one kernel, over blocks of rows and groups of panels.
class Product {
 public:
  Product(const PackedProduct& p, const PackedKernel& kernel, int64_t threads)
      : p_(p), kernel_(kernel), x_(p.x.as<float>()) {
    const int64_t blocks = (x_.rows + kernel.max_rows - 1) / kernel.max_rows;
    block_rows_ = round_up((x_.rows + blocks - 1) / blocks, kernel.row_step);
    for (const Packed& w : p.weights) panels_ += panels_of(w.rows);
    group_ = panels_together(threads);
    const bool is_float = kernel.form == RowForm::kFloats;
    k_blocks_ = round_up(filled_k_blocks(kernel.type, x_.cols), kernel.k_step);
    width_ = k_blocks_ * k_block_cols(kernel.type);
    const int64_t row_bytes = width_ * bytes_of_element(kernel.form);
    // Not a power of two, to avoid cache set conflicts between rows.
    stride_ = is_float ? x_.stride * 4 : round_up(row_bytes, kKBlockBytes) + kKBlockBytes;
    const int64_t group_bytes = group_ * panel_bytes(kernel.type, x_.cols);
    wide_ = group_ * std::clamp<int64_t>(kWideBytes / group_bytes, 1, 4);
    chunk_rows_ = std::max<int64_t>(1, kChunkBytes / stride_ / block_rows_) * block_rows_;
  }

  void operator()() const {
    Scratch scratch;
    const PreparedRows rows = allocate_rows(scratch);
    if (kernel_.form != RowForm::kFloats) {
      parallel_rows(x_.rows, x_.cols,
                    [&](int64_t begin, int64_t end) { prepare(rows, begin, end); });
    }
    const int64_t work = panel_bytes(kernel_.type, x_.cols) * (8 + x_.rows);
    parallel_for(panels_, round_up(std::max<int64_t>(1, kMinThreadWork / work), group_),
                 [&](int64_t begin, int64_t end) { multiply(rows, begin, end); });
  }

 private:
  // The number of panels per call of the kernel: a multiple of what it processes at a time. With
  // several short panels, the cost of the call and of the activation's constants is paid less
  // often.
  int64_t panels_together(int64_t threads) const {
    const int64_t step = kernel_.panels(std::min(block_rows_, x_.rows));
    const int64_t most =
        std::min({kMaxSums / (block_rows_ * kPanelRows),
                  kGroupBytes / panel_bytes(kernel_.type, x_.cols), panels_ / threads});
    return std::max<int64_t>(1, most / step) * step;
  }

  PreparedRows allocate_rows(Scratch& scratch) const {
    if (kernel_.form == RowForm::kFloats) {
      return {reinterpret_cast<std::byte*>(x_.data), stride_, nullptr};
    }
    const int64_t rows = round_up(x_.rows, kernel_.row_step);
    auto* data = reinterpret_cast<std::byte*>(scratch.allocate(rows * stride_ / 4));
    if (x_.rows > kernel_.row_step) {
      std::fill(data + x_.rows * stride_, data + rows * stride_, std::byte{0});
    }
    return {data, stride_, kernel_.type == DType::kI8 ? scratch.allocate(x_.rows) : nullptr};
  }

  void prepare(const PreparedRows& rows, int64_t begin, int64_t end) const {
    prepare_rows(kernel_.form, x_.range(begin, end), width_,
                 {rows.data + begin * rows.stride, rows.stride,
                  rows.scales ? rows.scales + begin : nullptr});
  }

  // Multiplies the panels [begin, end), counted over all parts.
  void multiply(const PreparedRows& rows, int64_t begin, int64_t end) const {
    if (kernel_.open) kernel_.open(x_.rows);
    for (int64_t chunk = 0; chunk < x_.rows; chunk += chunk_rows_) {
      const int64_t chunk_end = std::min(x_.rows, chunk + chunk_rows_);
      int64_t first = 0, column = 0;
      for (const Packed& w : p_.weights) {
        const int64_t panels = panels_of(w.rows);
        const int64_t last = std::min(end - first, panels);
        for (int64_t g = std::max<int64_t>(0, begin - first); g < last; g += wide_) {
          multiply_panels(rows, {chunk, chunk_end}, w,
                          {g, std::min(g + wide_, last), last, column});
        }
        first += panels;
        column += w.rows;
      }
    }
    if (kernel_.close) kernel_.close();
  }

  struct Range {
    int64_t begin, end;
  };
  struct Panels {
    int64_t begin, end;  // of a part
    int64_t last;        // end of this thread's range of the part
    int64_t column;      // first column of the part in y
  };

  // Rows in the outer loop, for contiguous writes to a row of y.
  void multiply_panels(const PreparedRows& rows, Range range, const Packed& w,
                       const Panels& panels) const {
    for (int64_t i = range.begin; i < range.end; i += block_rows_) {
      const Range block{i, std::min(i + block_rows_, range.end)};
      for (int64_t g = panels.begin; g < panels.end; g += group_) {
        const int64_t end = std::min(g + group_, panels.end);
        multiply_block(rows, block, w, {g, end, panels.last, panels.column}, i == range.begin);
      }
    }
  }

  void multiply_block(const PreparedRows& rows, Range range, const Packed& w, const Panels& panels,
                      bool is_first) const {
    alignas(64) int32_t sums[kMaxSums];
    const int64_t bytes = panel_bytes(w.type, w.cols), row = panels.begin * kPanelRows;
    const int64_t column = panels.column + row, count = panels.end - panels.begin;
    const bool has_next = panels.end < panels.last && count * bytes <= kMaxPrefetch;
    const Floats y = p_.y.as<float>();
    kernel_.multiply({.x = rows.data + range.begin * rows.stride,
                      .x_stride = rows.stride,
                      .rows = range.end - range.begin,
                      .panels = static_cast<const std::byte*>(w.panels) + panels.begin * bytes,
                      .panel_bytes = bytes,
                      .count = count,
                      .k_blocks = k_blocks_,
                      .weight_sums = w.sums ? w.sums + row : nullptr,
                      .is_first = is_first,
                      .next_offset = has_next ? count * bytes : 0,
                      .sums = sums});
    finish_block({.sums = sums,
                  .sums_stride = count * kPanelRows,
                  .x_scales = rows.scales ? rows.scales + range.begin : nullptr,
                  .w_scales = w.scales ? w.scales + row : nullptr,
                  .bias = p_.bias ? p_.bias.as<float>().data + column : nullptr,
                  .activation = p_.activation,
                  .y = {y.row(range.begin) + column, range.end - range.begin,
                        std::min(count * kPanelRows, w.rows - row), y.stride}});
  }

  const PackedProduct& p_;
  const PackedKernel& kernel_;
  Floats x_;
  int64_t block_rows_, group_, wide_, k_blocks_, width_, stride_, chunk_rows_, panels_ = 0;
};

// Whether threads share the rows of x rather than the panels: there are many rows, and all panels
// fit the cache of a core.
bool is_tall(const PackedProduct& p) {
  int64_t bytes = 0;
  for (const Packed& w : p.weights) bytes += packed_bytes(w.type, w.rows, w.cols);
  return p.x.rows >= kTallRows * threads() && bytes <= kWideBytes;
}

bool share_kernel(const Packed& a, const Packed& b) {
  return a.is_in_blocks() ? b.is_in_blocks() : a.type == b.type;
}

View columns_of(const View& x, int64_t begin, int64_t count) {
  View out = x;
  out.data = x.at(0, begin);
  out.cols = count;
  return out;
}

}  // namespace

PackedKernel best_kernel(DType type, int64_t rows) {
  const bool prefers_dots = type == DType::kI8 && rows <= kIntegerDots && has_dots(type);
  if (!prefers_dots && has_tiles(type)) return tile_kernel(type);
  return has_dots(type) ? dot_kernel(type) : k_block_kernel(type);
}

void packed_product(const PackedProduct& p, const PackedKernel& kernel) {
  if (p.y.size() == 0) return;
  if (!is_tall(p)) return Product(p, kernel, threads())();
  parallel_for(p.x.rows, kTallRows, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kTallRows) {
      PackedProduct part = p;
      const int64_t last = std::min(i + kTallRows, end);
      part.x = p.x.range(i, last);
      part.y = p.y.range(i, last);
      Product(part, kernel, 1)();
    }
  });
}

// Consecutive parts of the same type, or in blocks of any types, are multiplied together by the
// best kernel.
void run(const PackedProduct& p) {
  bool is_known = is_float(p.x) && p.x.cols > 0;
  for (const Packed& w : p.weights) is_known = is_known && is_packable(w.type);
  if (!is_known) return ref::run(p);
  int64_t column = 0;
  for (size_t begin = 0, end = 0; begin < p.weights.size(); begin = end) {
    const Packed& first = p.weights[begin];
    int64_t count = 0;
    for (; end < p.weights.size() && share_kernel(first, p.weights[end]); ++end) {
      count += p.weights[end].rows;
    }
    PackedProduct part = p;
    part.weights = p.weights.subspan(begin, end - begin);
    part.y = columns_of(p.y, column, count);
    if (p.bias) part.bias = columns_of(p.bias, column, count);
    if (first.is_in_blocks()) {
      block_product(part);
    } else {
      packed_product(part, best_kernel(first.dtype(), p.x.rows));
    }
    column += count;
  }
}

std::vector<PackedKernel> packed_kernels(DType type) {
  std::vector<PackedKernel> out;
  if (has_tiles(type)) out.push_back(tile_kernel(type));
  if (has_dots(type)) out.push_back(dot_kernel(type));
  out.push_back(k_block_kernel(type));
  return out;
}

}  // namespace weft::kernels::cpu
