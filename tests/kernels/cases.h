// The case tables of kernel tests: lists of shapes shared by many kernels.
#ifndef TESTS_KERNELS_CASES_H_
#define TESTS_KERNELS_CASES_H_

#include <cstdint>
#include <numeric>
#include <ostream>
#include <vector>

#include "weft/kernels/dropout.h"

namespace weft::kernels::test {

// Rows of a matrix with `slack` elements between the end of a row and the next row.
struct RowCase {
  int64_t rows, cols, slack;
  friend std::ostream& operator<<(std::ostream& out, const RowCase& c) {
    return out << c.rows << "x" << c.cols << "+" << c.slack;
  }
};

inline std::vector<RowCase> row_cases() {
  std::vector<RowCase> cases;
  for (const int64_t rows : {0, 1, 7, 64}) {
    for (const int64_t cols : {1, 5, 33, 128, 200}) {
      for (const int64_t slack : {0, 3}) cases.push_back({rows, cols, slack});
    }
  }
  cases.push_back({300, 512, 0});  // large enough for several threads
  cases.push_back({3, 5000, 0});
  return cases;
}

struct GemmCase {
  int64_t m, k, n, slack;
  friend std::ostream& operator<<(std::ostream& out, const GemmCase& c) {
    return out << c.m << "x" << c.k << "x" << c.n << "+" << c.slack;
  }
};

inline std::vector<GemmCase> gemm_cases() {
  return {{0, 8, 8, 0},      {1, 1, 1, 0},      {1, 33, 5, 0},    {7, 5, 33, 3},
          {64, 128, 128, 0}, {65, 33, 1, 0},    {33, 64, 70, 8},  {5, 200, 7, 1},
          {130, 96, 40, 0},  {300, 64, 260, 0}, {24, 300, 40, 0}, {5, 1100, 9, 0}};
}

// Ragged attention with lengths of queries and keys by sequence. `share` is the dropout
// probability.
struct AttentionCase {
  const char* name;
  std::vector<int32_t> queries, keys;
  int64_t heads, size, value_size;
  bool causal;
  double share;
  int64_t slack;
  int64_t group = 1;  // heads per key head
  friend std::ostream& operator<<(std::ostream& out, const AttentionCase& c) {
    return out << c.name;
  }
};

inline std::vector<AttentionCase> attention_cases() {
  return {
      {"one token", {1}, {1}, 1, 4, 4, false, 0, 0},
      {"nothing", {}, {}, 2, 8, 8, false, 0, 0},
      {"odd head sizes", {3, 5}, {4, 2}, 3, 5, 7, false, 0, 0},
      {"empty sequences", {0, 6, 0, 4, 0}, {3, 6, 0, 0, 0}, 2, 16, 16, false, 0.2, 0},
      {"training self", {17, 30, 1, 58, 16, 33}, {17, 30, 1, 58, 16, 33}, 4, 32, 32, false, 0.1, 0},
      {"training causal", {17, 30, 1, 58, 16, 33}, {17, 30, 1, 58, 16, 33}, 4, 32, 32, true, 0, 0},
      {"causal with dropout", {40, 7, 129}, {40, 7, 129}, 2, 24, 24, true, 0.3, 0},
      {"cross", {12, 45, 9}, {60, 20, 31}, 8, 64, 64, false, 0.1, 0},
      {"views into one matrix", {12, 45, 9}, {60, 20, 31}, 2, 16, 16, false, 0, 40},
      {"longer than a tile", {300, 5}, {300, 5}, 2, 64, 64, false, 0.1, 0},
      {"long and causal", {517}, {517}, 2, 64, 64, true, 0, 0},
      {"whole tiles", {300, 40, 128, 33}, {300, 500, 7, 128}, 2, 64, 32, false, 0, 40},
      {"whole tiles, causal, in groups", {2100, 130}, {2100, 130}, 1, 32, 32, true, 0, 0},
      {"whole tiles, causal, dropout", {300, 129, 40}, {300, 400, 40}, 2, 32, 64, true, 0.2, 0},
      {"causal, more keys", {9}, {21}, 1, 8, 8, true, 0, 0},
      {"causal, fewer keys", {21}, {9}, 1, 8, 8, true, 0, 0},
      {"several groups of keys", {70, 3}, {4700, 5}, 1, 8, 8, false, 0.1, 0},
      {"several groups, causal", {2100}, {2100}, 1, 4, 4, true, 0, 0},
      {"wide heads", {20}, {33}, 1, 200, 136, false, 0, 0},
      {"two heads to one of keys", {3, 70}, {4, 61}, 6, 5, 7, false, 0.1, 0, 2},
      {"one head of keys, causal", {17, 0, 133}, {17, 0, 133}, 4, 16, 16, true, 0, 40, 4},
      {"one head of keys, whole tiles", {33, 200}, {520, 200}, 8, 32, 32, false, 0, 0, 8},
      {"groups of heads and of keys, causal", {2100}, {2100}, 2, 32, 32, true, 0, 0, 2},
  };
}

inline std::vector<int32_t> offsets_of(const std::vector<int32_t>& lengths) {
  std::vector<int32_t> offsets(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return offsets;
}

// The sequence and the position of each packed row.
struct RowPlaces {
  explicit RowPlaces(const std::vector<int32_t>& lengths) {
    for (size_t b = 0; b < lengths.size(); ++b) {
      for (int32_t i = 0; i < lengths[b]; ++i) {
        sequence.push_back(static_cast<int32_t>(b));
        position.push_back(i);
      }
    }
  }
  DropoutMask dropout(double share) const {
    return {static_cast<uint32_t>(share * 65536), 42, {3, 1}, sequence.data(), position.data()};
  }
  std::vector<int32_t> sequence, position;
};

}  // namespace weft::kernels::test

#endif  // TESTS_KERNELS_CASES_H_
