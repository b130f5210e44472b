#include "weft/kernels/gemm.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/kernels/cpu/instructions.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/cpu/products/panel_gemm.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kMinSplit = 256;           // rows
constexpr int64_t kTokensPerSum = 512;       // more are faster in parts
constexpr int64_t kRowStep = 16;             // whole tiles
constexpr int64_t kColumnStep = 64;          // whole tiles
constexpr int64_t kMinThreadWork = 1 << 19;  // multiplications
constexpr int64_t kWideRow = 1024;           // elements
constexpr int64_t kMaxSummed = 1 << 16;      // elements of C whose partial sums are cheap to add
constexpr int64_t kMaxDepth = 2048;          // a longer inner dimension is faster in parts

int64_t bit_floor(int64_t n) {
  return n < 1 ? 0 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n)));
}

// The number of rows per product: a power of two for many rows, so that few primitives serve
// batches of any size.
int64_t piece(int64_t rows) { return rows < kMinSplit ? rows : bit_floor(rows); }

// Zeroes the slack rows up to `end`, so that they do not contribute to sums over rows.
void clear_slack(const View& x, int64_t end) {
  for (int64_t row = x.rows; row < end; ++row) {
    std::memset(x.at(row, 0), 0, static_cast<size_t>(x.cols) * size_of(x.dtype));
  }
}

// Whether the token dimension, the rows of A, may be split. If it is summed over, bias and
// activation would apply to each part.
bool can_split_tokens(const Gemm& g) {
  return !g.transpose_a || (!g.transpose_b && !g.bias && g.activation == Activation::kNone);
}

// The terms of A' B from some tokens.
Gemm token_part(const Gemm& g, int64_t begin, int64_t end) {
  return part(g, {0, g.c.rows}, {0, g.c.cols}, {begin, end});
}

// One past the last token of a product that starts at `begin`.
int64_t end_of_piece(const Gemm& g, int64_t begin) {
  const int64_t end = begin + piece(g.a.rows - begin);
  return g.transpose_a ? std::min(end, begin + kTokensPerSum) : end;
}

// Computes one part on the calling thread.
void multiply(const Gemm& g) {
  if (!can_split_tokens(g)) return onednn_product(g);
  for (int64_t begin = 0, end = 0; begin < g.a.rows; begin = end) {
    end = end_of_piece(g, begin);
    onednn_product(g.transpose_a ? token_part(g, begin, end)
                                 : part(g, {begin, end}, {0, g.c.cols}, {0, g.depth()}));
  }
}

// Computes the terms of A' B from tokens [begin, end) where A is a column range of a wide matrix,
// with a dense copy.
void multiply_copied(const Gemm& g, int64_t begin, int64_t end) {
  Gemm out = token_part(g, begin, end);
  Scratch scratch;
  const View from = out.a;
  out.a = {scratch.allocate(from.size()), from.dtype, from.rows, from.cols, from.cols};
  for (int64_t row = 0; row < from.rows; ++row) {
    std::memcpy(out.a.at(row, 0), from.at(row, 0),
                static_cast<size_t>(from.cols) * size_of(from.dtype));
  }
  onednn_product(out);
}

int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }
int64_t part_size(int64_t n, int64_t parts, int64_t step) {
  return round_up((n + parts - 1) / parts, step);
}

// Calls body(part) on products of `step` rows of C, in parallel.
template <class Body>
void for_row_parts(const Gemm& g, int64_t step, Body body) {
  parallel_for(g.c.rows, step, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += step) {
      body(part(g, {row, std::min(row + step, end)}, {0, g.c.cols}, {0, g.depth()}));
    }
  });
}

// Parallel over rows of C.
void multiply_by_rows(const Gemm& g, int64_t step) {
  // If the rows of A are far apart, copying is cheaper than oneDNN's strided columns, except in
  // BF16.
  const bool copies = g.transpose_a && g.a.dtype == DType::kF32 && g.a.stride >= kWideRow &&
                      g.a.rows > kTokensPerSum && can_split_tokens(g);
  constexpr int64_t kCopiedTokens = kTokensPerSum / 2;
  for_row_parts(g, step, [&](const Gemm& rows) {
    if (!copies) return multiply(rows);
    for (int64_t begin = 0; begin < g.a.rows; begin += kCopiedTokens) {
      multiply_copied(rows, begin, std::min(begin + kCopiedTokens, g.a.rows));
    }
  });
}

// C = A' B for few tokens, parallel over rows of C. The bits are those of multiply(g): oneDNN sums
// dense parts of a dense A, and other parts of another A, in the same order as the whole.
void multiply_few_tokens(const Gemm& g, int64_t step) {
  for_row_parts(g, step, [&](const Gemm& rows) {
    if (!g.a.is_dense() || rows.c.rows == g.c.rows) return multiply(rows);
    for (int64_t begin = 0, end = 0; begin < g.a.rows; begin = end) {
      end = end_of_piece(g, begin);
      multiply_copied(rows, begin, end);
    }
  });
}

// Parallel over columns of C, with dense copies.
void multiply_by_columns(const Gemm& g, int64_t step) {
  parallel_for(g.c.cols, step, [&](int64_t begin, int64_t end) {
    for (int64_t col = begin; col < end; col += step) {
      Gemm out = part(g, {0, g.c.rows}, {col, std::min(col + step, end)}, {0, g.depth()});
      const View to = out.c;
      Scratch scratch;
      out.c.data = scratch.allocate(to.size());
      out.c.stride = to.cols;
      multiply(out);
      run(Copy{.x = out.c, .y = to});
    }
  });
}

// C = A' B, parallel over tokens: the parts have separate sums, which are added in order.
void multiply_by_tokens(const Gemm& g, int64_t step) {
  const int64_t parts = (g.a.rows + step - 1) / step;
  Scratch scratch;
  float* const sums = scratch.allocate((parts - 1) * g.c.size());
  const auto sum_of = [&](int64_t i) {
    return i == 0 ? g.c
                  : View{sums + (i - 1) * g.c.size(), DType::kF32, g.c.rows, g.c.cols, g.c.cols};
  };
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Gemm out =
          part(g, {0, g.c.rows}, {0, g.c.cols}, {i * step, std::min((i + 1) * step, g.a.rows)});
      out.c = sum_of(i);
      out.beta = i == 0 ? g.beta : 0;
      multiply(out);
    }
  });
  for (int64_t i = 1; i < parts; ++i) run(Accumulate{.alpha = 1, .x = sum_of(i), .y = g.c});
}

// The number of tokens per partial sum of a small C, of rows per part of it if there is one sum
// only, and of rows per part of a large C. They determine the order of summation and oneDNN's
// algorithm, so they depend on the shape only, not on the number of threads.
int64_t tokens_per_part(const Gemm& g) {
  return g.c.size() <= kMaxSummed / 2 ? 2 * kTokensPerSum : 4 * kTokensPerSum;
}
int64_t rows_per_copy(int64_t rows) {
  return part_size(rows, std::clamp<int64_t>(rows / kColumnStep, 1, 4), kRowStep);
}
int64_t rows_per_part(int64_t rows) {
  constexpr int64_t kParts = 8, kFewRows = 128;
  if (rows < 2 * kFewRows) return part_size(rows, 2, kColumnStep);
  return std::max(kFewRows, part_size(rows, kParts, kColumnStep));
}

// The number of columns of a dense copy: as many parts for each thread as keep the copies in cache.
int64_t columns_per_copy(const Gemm& g, int64_t parts) {
  constexpr int64_t kMaxCopied = 1 << 18;  // elements
  const int64_t copies = g.c.rows * part_size(g.c.cols, parts, kColumnStep) / kMaxCopied + 1;
  return part_size(g.c.cols, parts * copies, kColumnStep);
}

// Products of BF16 matrices with a long inner dimension, such as the gradient of a vocabulary's
// logits. Not those with A', which are split by tokens.
bool has_large_k(const Gemm& g) {
  return !g.transpose_a && g.a.dtype == DType::kBF16 && g.depth() > kMaxDepth;
}

// The rows of C in a part for one of `parts` threads: fewer if there are many, so that a slow
// thread does not delay the others.
int64_t rows_per_thread(int64_t rows, int64_t parts) {
  if (rows >= 4 * parts * kMinSplit) return bit_floor(rows / (4 * parts));
  return part_size(rows, parts, kRowStep);
}

// Split-K: sums the terms of equal pieces of the inner dimension in F32. Parallel over rows of C.
void multiply_split_k(const Gemm& g, int64_t parts) {
  const int64_t depth = g.depth(), pieces = (depth + kMaxDepth - 1) / kMaxDepth;
  for_row_parts(g, rows_per_thread(g.c.rows, parts), [&](const Gemm& rows) {
    Scratch scratch;
    const int64_t m = rows.c.rows, n = rows.c.cols;
    Gemm terms = rows;
    terms.c = {scratch.allocate(m * n), DType::kF32, m, n, n};
    terms.beta = 0;
    terms.bias = {};
    terms.activation = Activation::kNone;
    for (int64_t i = 0; i < pieces; ++i) {
      multiply(part(terms, {0, m}, {0, n}, {depth * i / pieces, depth * (i + 1) / pieces}));
    }
    finish_panels(rows, terms.c.as<float>().data, n);
  });
}

// oneDNN is fast only on dense matrices, which determines how a product can be split.
void multiply_in_parts(const Gemm& g) {
  const int64_t m = g.c.rows, n = g.c.cols;
  const int64_t worth = m * n * g.depth() / kMinThreadWork;
  const int64_t parts = std::clamp<int64_t>(worth, 1, threads());
  if (has_large_k(g)) return multiply_split_k(g, parts);
  if (worth <= 1) return multiply(g);
  if (g.transpose_a) {
    const bool adds = can_split_tokens(g) && g.c.dtype == DType::kF32 && g.c.size() <= kMaxSummed;
    if (adds && g.a.rows > tokens_per_part(g)) return multiply_by_tokens(g, tokens_per_part(g));
    if (adds) return multiply_few_tokens(g, rows_per_copy(m));
    // Columns of A are not dense, but that costs less than adding partial sums.
    return multiply_by_rows(g, rows_per_part(m));
  }
  if (parts == 1) return multiply(g);
  const bool is_wide = m < kMinSplit && n > m && g.transpose_b && g.beta == 0;
  if (is_wide) return multiply_by_columns(g, columns_per_copy(g, parts));
  multiply_by_rows(g, rows_per_thread(m, parts));
}

// Gradients of weights over few tokens, as in tuning on short texts: oneDNN is slower there than
// panel_gemm() with AMX tiles, and faster where C is large or tokens are many.
bool prefers_panels(const Gemm& g) {
  constexpr int64_t kMaxTokens = 1024, kMaxResult = 1 << 20;  // elements of C
  return g.transpose_a && !g.transpose_b && g.a.dtype == DType::kBF16 && g.a.rows <= kMaxTokens &&
         g.c.size() <= kMaxResult && has_bf16_tiles();
}

// By Weft's own kernels.
void multiply_without_onednn(const Gemm& g) {
  if (g.a.dtype != DType::kBF16) return blocked_gemm(g);
  const PackedKernel kernel = best_kernel(DType::kBF16, g.c.rows);
  kernel.form == RowForm::kBF16 ? panel_gemm(g, kernel) : blocked_gemm(g);
}

}  // namespace

void run(const Gemm& g) {
  if (!is_fast(g.a) || g.depth() == 0) return ref::run(g);
  if (g.c.rows == 0 || g.c.cols == 0) return;
  if (g.c.rows > 1 && g.c.stride < g.c.cols) {
    fail<Error>("gemm", "rows of C [{}, {}] overlap; expected a stride of at least {}, got {}",
                g.c.rows, g.c.cols, g.c.cols, g.c.stride);
  }
  if (has_small_k(g)) return small_k_gemm(g);
  if (!suits_onednn(g.a.dtype) || prefers_panels(g)) return multiply_without_onednn(g);
  Gemm whole = g;
  // The dimension with one row per token: the summed one in A' B, otherwise the rows of C.
  View &x = whole.a, &z = g.transpose_a ? whole.b : whole.c;
  const int64_t padded = padded_rows(x.rows);
  if (can_split_tokens(g) && x.row_capacity >= padded && z.row_capacity >= padded) {
    if (g.transpose_a) clear_slack(x, padded), clear_slack(z, padded);
    x.rows = z.rows = padded;
  }
  multiply_in_parts(whole);
}

}  // namespace weft::kernels::cpu
