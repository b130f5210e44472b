#include "weft/kernels/gemm.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/kernels/cpu/gemm_part.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kLeastSplit = 256;        // rows
constexpr int64_t kTokensOfSum = 512;       // more are faster in pieces
constexpr int64_t kRowStep = 16;            // whole tiles
constexpr int64_t kColumnStep = 64;         // likewise
constexpr int64_t kWorthAThread = 1 << 19;  // multiplications
constexpr int64_t kWideRow = 1024;          // elements
constexpr int64_t kMostSummed = 1 << 16;    // elements of C that are soon added

int64_t bit_floor(int64_t n) {
  return n < 1 ? 0 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n)));
}

// How many of `rows` one product takes: a power of two where they are many, so that few primitives
// serve batches of any size.
int64_t piece(int64_t rows) { return rows < kLeastSplit ? rows : bit_floor(rows); }

// Zeros in the slack rows up to `end`: they add nothing to a sum over rows.
void clear_slack(const View& x, int64_t end) {
  for (int64_t row = x.rows; row < end; ++row) {
    std::memset(x.at(row, 0), 0, static_cast<size_t>(x.cols) * size_of(x.dtype));
  }
}

// Whether the rows that stand for tokens can be cut: those of A. A sum over them in pieces would
// have its bias and activation once for each.
bool cuts_tokens(const Gemm& g) {
  return !g.transpose_a || (!g.transpose_b && !g.bias && g.activation == Activation::kNone);
}

// One part, on one thread.
void multiply(const Gemm& g) {
  const Range rows{0, g.c.rows}, cols{0, g.c.cols}, depth{0, g.depth()};
  if (!cuts_tokens(g)) return onednn_product(g);
  for (int64_t begin = 0, end = 0; begin < g.a.rows; begin = end) {
    end = begin + piece(g.a.rows - begin);
    if (g.transpose_a) end = std::min(end, begin + kTokensOfSum);
    onednn_product(g.transpose_a ? part(g, rows, cols, {begin, end})
                                 : part(g, {begin, end}, cols, depth));
  }
}

// The same of A' B where A is some columns of a wide matrix, which are copied piece by piece.
void multiply_copied(const Gemm& g) {
  constexpr int64_t kTokens = kTokensOfSum / 2;
  Scratch scratch;
  View a{scratch.take(kTokens * g.a.cols), g.a.dtype, 0, g.a.cols, g.a.cols};
  for (int64_t begin = 0; begin < g.a.rows; begin += kTokens) {
    const int64_t end = std::min(begin + kTokens, g.a.rows);
    Gemm out = part(g, {0, g.c.rows}, {0, g.c.cols}, {begin, end});
    a.rows = end - begin;
    for (int64_t row = 0; row < a.rows; ++row) {
      std::memcpy(a.at(row, 0), out.a.at(row, 0), static_cast<size_t>(a.cols) * size_of(a.dtype));
    }
    out.a = a;
    onednn_product(out);
  }
}

int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }
int64_t part_of(int64_t n, int64_t parts, int64_t step) {
  return round_up((n + parts - 1) / parts, step);
}

// C by its rows, each part on one thread.
void multiply_by_rows(const Gemm& g, int64_t step) {
  // Where rows of A lie far apart, oneDNN loses more on its columns than copying them takes; in
  // BF16 it does not.
  const bool copies = g.transpose_a && g.a.dtype == DType::kF32 && g.a.stride >= kWideRow &&
                      g.a.rows > kTokensOfSum && cuts_tokens(g);
  parallel_for(g.c.rows, step, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += step) {
      (copies ? multiply_copied
              : multiply)(part(g, {row, std::min(row + step, end)}, {0, g.c.cols}, {0, g.depth()}));
    }
  });
}

// C by its columns, by way of dense matrices.
void multiply_by_columns(const Gemm& g, int64_t step) {
  parallel_for(g.c.cols, step, [&](int64_t begin, int64_t end) {
    Gemm out = part(g, {0, g.c.rows}, {begin, end}, {0, g.depth()});
    const View to = out.c;
    Scratch scratch;
    out.c.data = scratch.take(to.size());
    out.c.stride = to.cols;
    multiply(out);
    run(Copy{.x = out.c, .y = to});
  });
}

// C = A' B by tokens: each part has a sum of its own, and these are added in their order.
void multiply_by_tokens(const Gemm& g, int64_t step) {
  const int64_t parts = (g.a.rows + step - 1) / step;
  Scratch scratch;
  float* const sums = scratch.take((parts - 1) * g.c.size());
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

// The tokens that go into one of the sums of a small C, and the rows that a part takes of a large
// one. They decide in what order and by which of oneDNN's ways products are summed up, so that they
// follow from the shape alone, whatever the number of threads.
int64_t tokens_of_part(const Gemm& g) {
  return g.c.size() <= kMostSummed / 2 ? 2 * kTokensOfSum : 4 * kTokensOfSum;
}
int64_t rows_of_part(int64_t rows) {
  constexpr int64_t kParts = 8, kFewRows = 128;
  if (rows < 2 * kFewRows) return part_of(rows, 2, kColumnStep);
  return std::max(kFewRows, part_of(rows, kParts, kColumnStep));
}

// oneDNN is fast on dense matrices alone, which decides how a product can be cut.
void multiply_in_parts(const Gemm& g) {
  const int64_t m = g.c.rows, n = g.c.cols;
  const int64_t worth = m * n * g.depth() / kWorthAThread;
  if (worth <= 1) return multiply(g);
  if (g.transpose_a) {
    const bool adds = cuts_tokens(g) && g.c.dtype == DType::kF32 && g.c.size() <= kMostSummed;
    if (adds) return multiply_by_tokens(g, tokens_of_part(g));
    // Columns of A are not dense, but cost less than adding would.
    return multiply_by_rows(g, rows_of_part(m));
  }
  const int64_t parts = std::min<int64_t>(threads(), worth);
  if (parts == 1) return multiply(g);
  if (m >= 4 * parts * kLeastSplit) return multiply_by_rows(g, bit_floor(m / (4 * parts)));
  const bool is_wide = m < kLeastSplit && n > m && g.transpose_b && g.beta == 0;
  if (is_wide) return multiply_by_columns(g, part_of(n, parts, kColumnStep));
  multiply_by_rows(g, part_of(m, parts, kRowStep));
}

}  // namespace

void run(const Gemm& g) {
  if (!is_fast(g.a) || g.depth() == 0) return ref::run(g);
  if (g.c.rows == 0 || g.c.cols == 0) return;
  if (g.c.rows > 1 && g.c.stride < g.c.cols) {
    fail<Error>("gemm", "rows of C [{}, {}] overlap; expected a stride of at least {}, got {}",
                g.c.rows, g.c.cols, g.c.cols, g.c.stride);
  }
  if (!suits_onednn(g.a.dtype)) return blocked_gemm(g);
  Gemm whole = g;
  // Those with a row for each token: what A' B sums over, or what C consists of.
  View &x = whole.a, &z = g.transpose_a ? whole.b : whole.c;
  const int64_t padded = padded_rows(x.rows);
  if (cuts_tokens(g) && x.row_capacity >= padded && z.row_capacity >= padded) {
    if (g.transpose_a) clear_slack(x, padded), clear_slack(z, padded);
    x.rows = z.rows = padded;
  }
  multiply_in_parts(whole);
}

}  // namespace weft::kernels::cpu
