#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "weft/kernels/cpu/attention/attention_kernels.h"
#include "weft/kernels/cpu/instructions.h"
#include "weft/kernels/cpu/products/tiles-inl.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma,amx-tile,amx-bf16")
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // in GCC 12's own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace weft::kernels::cpu {
namespace {

using namespace tiles;

// A query block and its online softmax state, in units of ln 2.
struct QueryBlock {
  int64_t begin, count;  // in the sequence
  uint32_t* words;       // [K / 2, 32] pairs of features
  float* sums;           // [Kv, 32]
  float *top, *sum;      // [32]
  bool is_first;         // no key has been processed
};

// A step of keys: rows, values by feature, and buffers for its products with a block.
struct KeyStep {
  Matrix<BF16> keys;  // 128 rows, zeros after the last key
  BF16* values;       // [Kv, 128]
  int64_t begin, count;
  float* scores;      // [128, 32]
  uint32_t* weights;  // [64, 32] pairs of keys
  float* factors;     // [128, 32] of dropout, or null
};

// Replaces the scores of one query tile by exponentials, times dropout factors if there are any.
// Returns the factor that rescales previous sums.
__m512 exponentiate(const KeyStep& step, int64_t rows, float scale, const QueryBlock& block,
                    int64_t lane) {
  const float* scores = step.scores + lane;
  const __m512 factor = _mm512_set1_ps(scale);
  __m512 maximum = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  for (int64_t j = 0; j < rows; ++j)
    maximum = _mm512_max_ps(maximum, _mm512_load_ps(scores + j * kQueries));
  const __m512 before = _mm512_load_ps(block.top + lane);
  // If a query has no keys yet, its maximum is -infinity and must not be subtracted.
  const __m512 now =
      _mm512_max_ps(_mm512_max_ps(before, _mm512_mul_ps(maximum, factor)), _mm512_set1_ps(-1e30f));
  const __m512 shrink = exp2(_mm512_sub_ps(before, now));
  __m512 total0 = _mm512_mul_ps(shrink, _mm512_load_ps(block.sum + lane)),
         total1 = _mm512_setzero_ps();
  for (int64_t j = 0; j < rows; j += 2) {
    const float* column = scores + j * kQueries;
    __m512 first = exp2(_mm512_fmsub_ps(_mm512_load_ps(column), factor, now));
    __m512 second = exp2(_mm512_fmsub_ps(_mm512_load_ps(column + kQueries), factor, now));
    total0 = _mm512_add_ps(total0, first);
    total1 = _mm512_add_ps(total1, second);
    if (step.factors != nullptr) {
      const float* kept = step.factors + j * kQueries + lane;
      first = _mm512_mul_ps(first, _mm512_load_ps(kept));
      second = _mm512_mul_ps(second, _mm512_load_ps(kept + kQueries));
    }
    _mm512_store_si512(step.weights + j / 2 * kQueries + lane, pair_of(first, second));
  }
  _mm512_store_ps(block.top + lane, now);
  _mm512_store_ps(block.sum + lane, _mm512_add_ps(total0, total1));
  return shrink;
}

void process_step(const KeyStep& step, const Attention& a, int64_t value_size, QueryBlock& block) {
  const int64_t rows = (step.count + kDepth - 1) / kDepth * kDepth;
  for (int64_t j = 0; j < rows; j += 2 * kTile) {
    multiply_tiles({step.keys.row(j), step.keys.stride, block.words, kQueries,
                    step.scores + j * kQueries, kQueries},
                   step.keys.cols, false);
  }
  mask_scores(step.scores, step.count, rows, a.causal, block.begin - step.begin);
  const auto scale = static_cast<float>(a.scale * std::numbers::log2e);
  const __m512 left = exponentiate(step, rows, scale, block, 0);
  const __m512 right = exponentiate(step, rows, scale, block, kTile);
  const __m512 one = _mm512_set1_ps(1.0f);
  const bool shrinks = (_mm512_cmp_ps_mask(left, one, _CMP_NEQ_UQ) |
                        _mm512_cmp_ps_mask(right, one, _CMP_NEQ_UQ)) != 0;
  for (int64_t f = 0; shrinks && !block.is_first && f < value_size; ++f) {
    float* sum_row = block.sums + f * kQueries;
    _mm512_store_ps(sum_row, _mm512_mul_ps(_mm512_load_ps(sum_row), left));
    _mm512_store_ps(sum_row + kTile, _mm512_mul_ps(_mm512_load_ps(sum_row + kTile), right));
  }
  for (int64_t f = 0; f < value_size; f += 2 * kTile) {
    multiply_tiles({step.values + f * kKeys, kKeys, step.weights, kQueries,
                    block.sums + f * kQueries, kQueries},
                   rows, !block.is_first);
  }
  block.is_first = false;
}

void init_block(Matrix<BF16> q, QueryBlock& block) {
  pair_features(q, block.words);
  std::fill_n(block.top, kQueries, -std::numeric_limits<float>::infinity());
  std::fill_n(block.sum, kQueries, 0.0f);
  block.is_first = true;
}

void write_block(const QueryBlock& block, Matrix<BF16> out, float* lse, int64_t lse_stride) {
  for (int64_t i = 0; i < block.count; ++i) {
    const float inverse = 1 / block.sum[i];
    for (int64_t f = 0; f < out.cols; ++f) {
      out.row(i)[f] = BF16(block.sums[f * kQueries + i] * inverse);
    }
    if (lse) {
      lse[i * lse_stride] = block.top[i] * std::numbers::ln2_v<float> + std::log(block.sum[i]);
    }
  }
}

// A few query blocks against all keys of the sequence, as in attention.cpp.
void attend(const Attention& a, const AttentionItem& item, int64_t max_blocks) {
  const SequenceHead h(a, item.sequence, item.head);
  const int64_t end_query = std::min(h.queries, item.begin + max_blocks * kQueries);
  const int64_t queries = end_query - item.begin, first = h.q_begin + item.begin;
  const int64_t blocks = (queries + kQueries - 1) / kQueries;
  const int64_t attended = h.attended(end_query);
  const auto k = h.key_rows<BF16>(a.k, 0, attended), v = h.key_rows<BF16>(a.v, 0, attended);
  const auto q = h.query_rows<BF16>(a.q, item.begin, end_query);
  const auto out = h.query_rows<BF16>(a.out, item.begin, end_query);
  const DropoutMask dropout = a.dropout_of(item.head);
  const Tiles tiles;
  Scratch scratch;
  KeyStep step{.keys = {},
               .values = allocate<BF16>(scratch, v.cols * kKeys),
               .begin = 0,
               .count = 0,
               .scores = scratch.allocate(kKeys * kQueries),
               .weights = allocate<uint32_t>(scratch, kKeys / 2 * kQueries),
               .factors = factor_buffer(dropout, scratch)};
  auto* key_buffer = allocate<BF16>(scratch, kKeys * k.cols);
  QueryBlock block[kItemBlocks];
  const auto rows_of = [&](const Matrix<BF16>& x, int64_t b) {
    return x.range(b * kQueries, std::min(queries, (b + 1) * kQueries));
  };
  for (int64_t b = 0; b < blocks; ++b) {
    block[b] = {.begin = item.begin + b * kQueries,
                .count = rows_of(q, b).rows,
                .words = allocate<uint32_t>(scratch, q.cols / 2 * kQueries),
                .sums = scratch.allocate(v.cols * kQueries),
                .top = scratch.allocate(kQueries),
                .sum = scratch.allocate(kQueries),
                .is_first = true};
    init_block(rows_of(q, b), block[b]);
  }
  for (int64_t step_begin = 0; step_begin < attended; step_begin += kKeys) {
    const int64_t end = std::min(attended, step_begin + kKeys);
    step.begin = step_begin;
    step.count = end - step_begin;
    step.keys = step_rows(k.range(step_begin, end), key_buffer);
    transpose_step(v.range(step_begin, end), step.values);
    for (int64_t b = 0; b < blocks; ++b) {
      if (a.causal && step_begin >= block[b].begin + block[b].count) continue;
      fill_factors(dropout, first + b * kQueries, step_begin, block[b].count, step.factors);
      process_step(step, a, v.cols, block[b]);
    }
  }
  for (int64_t b = 0; b < blocks; ++b) {
    float* lse = a.lse ? a.lse.as<float>().row(first + b * kQueries) + item.head : nullptr;
    write_block(block[b], rows_of(out, b), lse, a.lse.stride);
  }
}

}  // namespace
}  // namespace weft::kernels::cpu

#pragma GCC diagnostic pop
HWY_POP_ATTRIBUTES

namespace weft::kernels::cpu {
bool suits_tiles(const Attention& a) {
  const int64_t size = a.q.cols / a.heads, value_size = a.out.cols / a.heads;
  return a.q.dtype == DType::kBF16 && size % kDepth == 0 && value_size % kDepth == 0 &&
         (has_bf16_tiles() || has_bf16_dots());
}

void attention_on_tiles(const Attention& a) {
  const int64_t blocks = blocks_per_item(a, kQueries);
  std::vector<AttentionItem> items = attention_items(a.q_offsets, a.heads, blocks * kQueries);
  std::erase_if(items, [&](const AttentionItem& item) {
    return !is_worth_tiles(a.k_offsets[item.sequence + 1] - a.k_offsets[item.sequence]);
  });
  for_each_item(items, attention_work(a),
                [&](const AttentionItem& item) { attend(a, item, blocks); });
}

}  // namespace weft::kernels::cpu
