#include "weft/kernels/cpu/products/panel_gemm.h"

#include <algorithm>

#include "weft/core/parallel.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/cpu/scratch.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kWordCols = 2;  // BF16 in a word of a k-block
constexpr int64_t kWordsOfBlock = kKBlockBytes / 4;
constexpr int64_t kMaxChunk = 512;      // k-blocks multiplied together, to fit the L2 cache
constexpr int64_t kMaxDepth = 8192;     // packed together
constexpr int64_t kRowBytes = 1 << 19;  // of rows multiplied with the same panels, for the L2 cache
constexpr int64_t kMinThreadWork = 1 << 20;   // multiplications
constexpr int64_t kMinPackedWords = 1 << 15;  // per thread
constexpr int64_t kPartsPerThread = 4;        // so that a slow thread does not delay the others
constexpr int64_t kMinPartRows = 128;         // of a product with more parts than threads

int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

class PanelGemm {
 public:
  PanelGemm(const Gemm& g, const PackedKernel& kernel)
      : g_(g),
        kernel_(kernel),
        rows_(g.c.rows),
        panels_(panels_of(g.c.cols)),
        k_blocks_(round_up((g.depth() + kWordCols - 1) / kWordCols, kernel.k_step)),
        width_(k_blocks_ * kWordCols),
        // Not a power of two, to avoid cache set conflicts between rows.
        stride_(width_ + kKBlockBytes / 2),
        block_rows_(std::min(kernel.max_rows, round_up(rows_, kernel.row_step))) {
    const int64_t step = kernel.panels(std::min(block_rows_, rows_));
    const int64_t most = kMaxSums / (block_rows_ * kPanelRows);
    group_ = std::max<int64_t>(1, most / step) * step;
    const int64_t chunks = (k_blocks_ + kMaxChunk - 1) / kMaxChunk;
    chunk_ = round_up((k_blocks_ + chunks - 1) / chunks, kernel.k_step);
    const bool in_place = !g.transpose_a && g.depth() == width_;
    first_packed_ = in_place ? rows_ / kernel.max_rows * kernel.max_rows : 0;
  }

  void operator()() {
    Scratch scratch;
    panel_data_ = allocate(scratch, panels_ * k_blocks_ * kWordsOfBlock);
    const int64_t packed_rows = round_up(rows_, kernel_.row_step) - first_packed_;
    row_data_ = reinterpret_cast<BF16*>(allocate(scratch, packed_rows * stride_ / kWordCols));
    pack_b();
    g_.transpose_a ? pack_transposed_rows() : pack_rows();
    multiply();
  }

 private:
  static uint32_t* allocate(Scratch& scratch, int64_t words) {
    return reinterpret_cast<uint32_t*>(scratch.allocate(words));
  }

  uint32_t* panel(int64_t p) const { return panel_data_ + p * k_blocks_ * kWordsOfBlock; }
  Matrix<BF16> packed_rows(int64_t begin, int64_t end) const {
    return {row_data_ + (begin - first_packed_) * stride_, end - begin, width_, stride_};
  }
  // Threads share a matrix in parts of 16 columns or rows.
  static Matrix<BF16> strip(const View& x, int64_t i, bool of_rows) {
    const int64_t begin = i * kPanelRows;
    const auto size = [&](int64_t n) { return std::min(kPanelRows, n - begin); };
    const Matrix<BF16> all = x.as<BF16>();
    if (of_rows) return all.range(begin, begin + size(all.rows));
    return {all.data + begin, all.rows, size(all.cols), all.stride};
  }
  int64_t strip_grain() const {
    return std::max<int64_t>(1, kMinPackedWords / (k_blocks_ * kWordsOfBlock));
  }

  void pack_b() const {
    parallel_for(panels_, strip_grain(), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const Matrix<BF16> b = strip(g_.b, p, g_.transpose_b);
        g_.transpose_b ? pack_panel_rows(b, k_blocks_, panel(p))
                       : pack_panel_columns(b, k_blocks_, panel(p));
      }
    });
  }

  // The rows that are not used in place, and zeros up to a multiple of the kernel's row step.
  void pack_rows() const {
    const Matrix<BF16> a = g_.a.as<BF16>();
    parallel_for(rows_ - first_packed_, kPanelRows * strip_grain(),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = first_packed_ + begin; i < first_packed_ + end; ++i) {
                     BF16* to = packed_rows(i, i + 1).data;
                     std::fill(std::copy_n(a.row(i), a.cols, to), to + width_, BF16());
                   }
                 });
    clear_rows();
  }

  void pack_transposed_rows() const {
    parallel_for(panels_of(rows_), strip_grain(), [&](int64_t begin, int64_t end) {
      constexpr int64_t kPiece = 128;  // k-blocks
      uint32_t piece[kPiece * kWordsOfBlock];
      for (int64_t p = begin; p < end; ++p) {
        const Matrix<BF16> a = strip(g_.a, p, false);
        const Matrix<BF16> to = packed_rows(p * kPanelRows, p * kPanelRows + a.cols);
        for (int64_t first = 0; first < k_blocks_; first += kPiece) {
          const int64_t blocks = std::min(kPiece, k_blocks_ - first);
          const int64_t col = first * kWordCols;
          const int64_t depth = std::clamp<int64_t>(a.rows - col, 0, blocks * kWordCols);
          pack_panel_columns({a.row(col), depth, a.cols, a.stride}, blocks, piece);
          unpack_panel(piece, {to.data + col, to.rows, blocks * kWordCols, to.stride});
        }
      }
    });
    clear_rows();
  }

  void clear_rows() const {
    for (int64_t i = rows_; i < round_up(rows_, kernel_.row_step); ++i) {
      std::fill_n(packed_rows(i, i + 1).data, width_, BF16());
    }
  }

  // Parts of rows and columns of C, in parallel.
  void multiply() const {
    const int64_t work = rows_ * g_.c.cols * g_.depth() / kMinThreadWork;
    const int64_t parts = std::clamp<int64_t>(work, 1, threads());
    const int64_t blocks = (rows_ + block_rows_ - 1) / block_rows_;
    const int64_t groups = (panels_ + group_ - 1) / group_;
    const int64_t more =
        parts == 1 ? 1 : std::clamp<int64_t>(rows_ / parts / kMinPartRows, 1, kPartsPerThread);
    const int64_t by_rows = std::min(parts * more, blocks);
    const int64_t by_cols = std::clamp<int64_t>(parts / by_rows, 1, groups);
    parallel_for(by_rows * by_cols, 1, [&](int64_t begin, int64_t end) {
      if (kernel_.open) kernel_.open(rows_);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t r = i / by_cols, c = i % by_cols;
        multiply_part({blocks * r / by_rows, blocks * (r + 1) / by_rows},
                      {groups * c / by_cols, groups * (c + 1) / by_cols});
      }
      if (kernel_.close) kernel_.close();
    });
  }

  void multiply_part(Range blocks, Range groups) const {
    const int64_t together = std::max<int64_t>(1, kRowBytes / (2 * width_ * block_rows_));
    for (int64_t first = blocks.begin; first < blocks.end; first += together) {
      const int64_t last = std::min(first + together, blocks.end);
      for (int64_t group = groups.begin; group < groups.end; ++group) {
        for (int64_t block = first; block < last; ++block) multiply_block(block, group);
      }
    }
  }

  void multiply_block(int64_t block, int64_t group) const {
    alignas(64) float sums[kMaxSums], terms[kMaxSums];
    const Range rows{block * block_rows_, std::min((block + 1) * block_rows_, rows_)};
    const Range panels{group * group_, std::min((group + 1) * group_, panels_)};
    for (int64_t k = 0; k < k_blocks_; k += chunk_) {
      multiply_chunk(rows, panels, k, k == 0 ? sums : terms);
      if (k > 0) add_panel_sums(terms, rows.size() * panels.size() * kPanelRows, sums);
    }
    const Range cols{panels.begin * kPanelRows, std::min(panels.end * kPanelRows, g_.c.cols)};
    Gemm result = g_;
    result.c = part(g_.c, rows, cols);
    if (g_.bias) result.bias = part(g_.bias, {0, 1}, cols);
    finish_panels(result, sums, panels.size() * kPanelRows);
  }

  void multiply_chunk(Range rows, Range panels, int64_t k, float* sums) const {
    const bool in_place = rows.begin < first_packed_;
    const Matrix<BF16> x =
        in_place ? g_.a.as<BF16>().range(rows.begin, rows.end) : packed_rows(rows.begin, rows.end);
    kernel_.multiply(
        {.x = reinterpret_cast<const std::byte*>(x.data + k * kWordCols),
         .x_stride = x.stride * 2,
         .rows = rows.size(),
         .panels = reinterpret_cast<const std::byte*>(panel(panels.begin) + k * kWordsOfBlock),
         .panel_bytes = k_blocks_ * kKBlockBytes,
         .count = panels.size(),
         .k_blocks = std::min(chunk_, k_blocks_ - k),
         .weight_sums = nullptr,
         .is_first = false,
         .next_offset = 0,
         .sums = sums});
  }

  const Gemm& g_;
  const PackedKernel& kernel_;
  int64_t rows_, panels_, k_blocks_, width_, stride_, block_rows_;
  int64_t group_, chunk_, first_packed_;  // panels; k-blocks; row
  uint32_t* panel_data_ = nullptr;
  BF16* row_data_ = nullptr;
};

}  // namespace

void panel_gemm(const Gemm& g, const PackedKernel& kernel) {
  const int64_t depth = g.depth();
  const bool is_sum = g.c.dtype == DType::kF32 && !g.bias && g.activation == Activation::kNone;
  const int64_t step = is_sum ? kMaxDepth : depth;
  for (int64_t t = 0; t < depth; t += step) {
    const Gemm terms = part(g, {0, g.c.rows}, {0, g.c.cols}, {t, std::min(t + step, depth)});
    PanelGemm(terms, kernel)();
  }
}

}  // namespace weft::kernels::cpu
