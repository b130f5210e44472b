#include <cmath>
#include <numbers>
#include <vector>

#include "weft/kernels/cpu/attention/attention_kernels.h"
#include "weft/kernels/cpu/products/tiles-inl.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma,amx-tile,amx-bf16")
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // in GCC 12's own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace weft::kernels::cpu {
namespace {

using namespace tiles;

// A query block, packed as right operand of products over features and over queries.
struct Block {
  SequenceHead head;
  DropoutMask dropout;              // of this head
  int64_t begin, count;             // in the sequence
  uint32_t *q_words, *d_out_words;  // [K / 2, 32], [Kv / 2, 32]
  uint32_t *q_pairs, *d_out_pairs;  // [16, K], [16, Kv]
  float* d_q;                       // [K, 32]
  float *lse, *mean;                // [32]: in units of ln 2; scale * d_out . out
  bool is_first;                    // d_q is not initialised
};

// A step of keys and its products with a block.
struct Step {
  Matrix<BF16> keys, values;   // 128 rows, zeros after the last
  BF16* keys_by_feature;       // [K, 128]
  float *d_k, *d_v;            // [128, K], [128, Kv]
  float *scores, *d_scores;    // [128, 32]
  float* factors;              // [128, 32] of dropout, or null
  BF16 *weights, *gradient;    // [128, 32], rows of keys
  uint32_t* gradient_by_pair;  // [64, 32], pairs of keys
  int64_t begin, count;
};

// to[p * cols + f] holds rows 2p and 2p + 1 of feature f, zeros for missing rows.
void pair_rows(Matrix<BF16> x, uint32_t* to) {
  for (int64_t p = 0; p < kQueries / 2; ++p, to += x.cols) {
    for (int64_t f = 0; f < x.cols; ++f) {
      const uint32_t low = 2 * p < x.rows ? x.row(2 * p)[f].bits : 0;
      const uint32_t high = 2 * p + 1 < x.rows ? x.row(2 * p + 1)[f].bits : 0;
      to[f] = high << 16 | low;
    }
  }
}

float dot(const BF16* x, const BF16* y, int64_t n) {
  float sum = 0;
  for (int64_t f = 0; f < n; ++f) sum += static_cast<float>(x[f]) * static_cast<float>(y[f]);
  return sum;
}

Block init_block(const AttentionBackward& g, const SequenceHead& h, int64_t begin,
                 Scratch& scratch) {
  const Attention& a = g.forward;
  const int64_t end = std::min(h.queries, begin + kQueries);
  const auto rows = [&](const View& x) { return h.query_rows<BF16>(x, begin, end); };
  const Matrix<BF16> q = rows(a.q), out = rows(a.out), d_out = rows(g.d_out);
  Block block{.head = h,
              .dropout = a.dropout_of(h.head),
              .begin = begin,
              .count = q.rows,
              .q_words = allocate<uint32_t>(scratch, q.cols / 2 * kQueries),
              .d_out_words = allocate<uint32_t>(scratch, out.cols / 2 * kQueries),
              .q_pairs = allocate<uint32_t>(scratch, q.cols / 2 * kQueries),
              .d_out_pairs = allocate<uint32_t>(scratch, out.cols / 2 * kQueries),
              .d_q = scratch.allocate(q.cols * kQueries),
              .lse = scratch.allocate(kQueries),
              .mean = scratch.allocate(kQueries),
              .is_first = true};
  pair_features(q, block.q_words);
  pair_features(d_out, block.d_out_words);
  pair_rows(q, block.q_pairs);
  pair_rows(d_out, block.d_out_pairs);
  std::fill_n(block.lse, kQueries, 0.0f);
  std::fill_n(block.mean, kQueries, 0.0f);
  for (int64_t i = 0; i < block.count; ++i) {
    const float lse = a.lse.as<float>().row(h.q_begin + begin + i)[h.head];
    block.lse[i] = lse * std::numbers::log2e_v<float>;
    block.mean[i] = static_cast<float>(a.scale) * dot(out.row(i), d_out.row(i), out.cols);
  }
  return block;
}

// Computes the weights after dropout and the gradient of q.k from the scores q.k and d_out.v, in
// the layouts of the following products.
void differentiate_scores(const Step& step, const Block& block, int64_t rows, float scale) {
  const __m512 factor = _mm512_set1_ps(scale);
  const __m512 in_log2 = _mm512_set1_ps(scale * std::numbers::log2e_v<float>);
  for (int64_t lane = 0; lane < kQueries; lane += kTile) {
    const __m512 lse = _mm512_load_ps(block.lse + lane), mean = _mm512_load_ps(block.mean + lane);
    const auto gradient_of = [&](int64_t j) {
      const int64_t offset = j * kQueries + lane;
      const __m512 score = _mm512_load_ps(step.scores + offset);
      const __m512 weight = exp2(_mm512_fmsub_ps(score, in_log2, lse));
      __m512 d_dropped = _mm512_load_ps(step.d_scores + offset), dropped = weight;
      if (step.factors != nullptr) {
        const __m512 kept = _mm512_load_ps(step.factors + offset);
        d_dropped = _mm512_mul_ps(kept, d_dropped);
        dropped = _mm512_mul_ps(kept, weight);
      }
      const __m512 d_weight = _mm512_fmsub_ps(d_dropped, factor, mean);
      const __m512 gradient = _mm512_mul_ps(weight, d_weight);
      store_bf16(dropped, step.weights + offset);
      store_bf16(gradient, step.gradient + offset);
      return gradient;
    };
    for (int64_t j = 0; j < rows; j += 2) {
      const __m512 first = gradient_of(j), second = gradient_of(j + 1);
      _mm512_store_si512(step.gradient_by_pair + j / 2 * kQueries + lane, pair_of(first, second));
    }
  }
}

void add_gradients(const Attention& a, const Step& step, Block& block, bool adds_to_keys) {
  const int64_t size = step.keys.cols, value_size = step.values.cols;
  const int64_t rows = (step.count + kDepth - 1) / kDepth * kDepth;
  for (int64_t j = 0; j < rows; j += 2 * kTile) {
    multiply_tiles({step.keys.row(j), step.keys.stride, block.q_words, kQueries,
                    step.scores + j * kQueries, kQueries},
                   size, false);
    multiply_tiles({step.values.row(j), step.values.stride, block.d_out_words, kQueries,
                    step.d_scores + j * kQueries, kQueries},
                   value_size, false);
  }
  mask_scores(step.scores, step.count, rows, a.causal, block.begin - step.begin);
  fill_factors(block.dropout, block.head.q_begin + block.begin, step.begin, block.count,
               step.factors);
  differentiate_scores(step, block, rows, static_cast<float>(a.scale));
  for (int64_t j = 0; j < rows; j += 2 * kTile) {
    for (int64_t f = 0; f < value_size; f += 2 * kTile) {
      multiply_tiles({step.weights + j * kQueries, kQueries, block.d_out_pairs + f, value_size,
                      step.d_v + j * value_size + f, value_size},
                     kQueries, adds_to_keys);
    }
    for (int64_t f = 0; f < size; f += 2 * kTile) {
      multiply_tiles({step.gradient + j * kQueries, kQueries, block.q_pairs + f, size,
                      step.d_k + j * size + f, size},
                     kQueries, adds_to_keys);
    }
  }
  for (int64_t f = 0; f < size; f += 2 * kTile) {
    multiply_tiles({step.keys_by_feature + f * kKeys, kKeys, step.gradient_by_pair, kQueries,
                    block.d_q + f * kQueries, kQueries},
                   rows, !block.is_first);
  }
  block.is_first = false;
}

// Calls body with a value of the gradient's element type.
template <class Body>
void with_element(const View& gradient, Body&& body) {
  if (gradient.dtype == DType::kF32) return body(float());
  body(BF16());
}

template <class T>
void store_rows(const float* from, const Matrix<T>& to) {
  for (int64_t i = 0; i < to.rows; ++i) {
    for (int64_t f = 0; f < to.cols; ++f) to.row(i)[f] = T(from[i * to.cols + f]);
  }
}

template <class T>
void store_queries(const Block& block, const Matrix<T>& to) {
  for (int64_t i = 0; i < block.count; ++i) {
    for (int64_t f = 0; f < to.cols; ++f) {
      to.row(i)[f] = T(block.is_first ? 0.0f : block.d_q[f * kQueries + i]);
    }
  }
}

Step make_step(int64_t size, int64_t value_size, const DropoutMask& dropout, Scratch& scratch) {
  Step step{};
  step.keys_by_feature = allocate<BF16>(scratch, size * kKeys);
  step.d_k = scratch.allocate(kKeys * size);
  step.d_v = scratch.allocate(kKeys * value_size);
  step.scores = scratch.allocate(kKeys * kQueries);
  step.d_scores = scratch.allocate(kKeys * kQueries);
  step.factors = factor_buffer(dropout, scratch);
  step.weights = allocate<BF16>(scratch, kKeys * kQueries);
  step.gradient = allocate<BF16>(scratch, kKeys * kQueries);
  step.gradient_by_pair = allocate<uint32_t>(scratch, kKeys / 2 * kQueries);
  return step;
}

}  // namespace

void differentiate_on_tiles(const AttentionBackward& g, const GradientItem& item) {
  const Attention& a = g.forward;
  const SequenceHead first(a, item.sequence, item.head);
  const int64_t size = a.q.cols / a.heads, value_size = a.out.cols / a.heads;
  const Tiles tiles;
  Scratch scratch;
  Step step = make_step(size, value_size, a.dropout, scratch);
  auto* key_buffer = allocate<BF16>(scratch, kKeys * size);
  auto* value_buffer = allocate<BF16>(scratch, kKeys * value_size);
  std::vector<Block> blocks;
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    const SequenceHead h(a, item.sequence, head);
    for (int64_t begin = 0; begin < h.queries; begin += kQueries) {
      blocks.push_back(init_block(g, h, begin, scratch));
    }
  }
  for (int64_t step_begin = item.begin; step_begin < item.end; step_begin += kKeys) {
    const int64_t last = std::min(item.end, step_begin + kKeys);
    const auto keys = first.key_rows<BF16>(a.k, step_begin, last);
    step.begin = step_begin;
    step.count = last - step_begin;
    step.keys = step_rows(keys, key_buffer);
    step.values = step_rows(first.key_rows<BF16>(a.v, step_begin, last), value_buffer);
    transpose_step(keys, step.keys_by_feature);
    bool adds = false;
    for (Block& block : blocks) {
      if (a.causal && step_begin >= block.begin + block.count) continue;
      add_gradients(a, step, block, adds);
      adds = true;
    }
    if (!adds) {
      std::fill_n(step.d_k, step.count * size, 0.0f);
      std::fill_n(step.d_v, step.count * value_size, 0.0f);
    }
    with_element(g.d_k, [&]<class T>(T) {
      store_rows(step.d_k, first.key_rows<T>(g.d_k, step_begin, last));
      store_rows(step.d_v, first.key_rows<T>(g.d_v, step_begin, last));
    });
  }
  for (const Block& block : blocks) {
    with_element(g.d_q, [&]<class T>(T) {
      const int64_t end = block.begin + block.count;
      store_queries(block, block.head.query_rows<T>(g.d_q, block.begin, end));
    });
  }
}

}  // namespace weft::kernels::cpu

#pragma GCC diagnostic pop
HWY_POP_ATTRIBUTES
