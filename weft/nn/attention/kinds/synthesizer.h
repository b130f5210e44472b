// Attention probabilities that do not come from products of queries and keys (Synthesizer, Tay et
// al. 2021, arXiv 2005.00743).
#ifndef WEFT_NN_ATTENTION_KINDS_SYNTHESIZER_H_
#define WEFT_NN_ATTENTION_KINDS_SYNTHESIZER_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/self_input.h"
#include "weft/nn/linear.h"

namespace weft::nn {

// Scores of positions in a sequence, whatever their tokens: row i gives position j the score
// (W2 relu(W1 x_i + b1) + b2) . t_j over sqrt(K), a network of two layers whose last is factored
// by a learned table of positions t [max, G*K].
struct DenseSynthesizer {
  static constexpr bool kHasQueries = true, kHasKeys = false;
  static int64_t dropout_streams(int64_t heads) { return heads; }

  Linear second;            // [H*K, H*K]
  Parameter position_keys;  // [max, G*K]

  explicit DenseSynthesizer(const AttentionDims& dims);
  // Throw ShapeError for a sequence with more rows than the table.
  Tensor forward(const SelfInput& in, const Context& context) const;                  // [N, H*Kv]
  Tensor prefill(const SelfInput& in, KvCache& cache, const Context& context) const;  // [N, H*Kv]
  Tensor step(const SelfInput& in, KvCache& cache, const Context& context) const;     // [W, H*Kv]
  template <class V>
  void fields(V& v) {
    v("q_second", second);
    v("places.weight", position_keys);
  }

 private:
  // As dot-product attention has it.
  SelfInput with_scores(const SelfInput& in, autograd::Tape* tape) const;
};

// The same for all sequences: position i gives position j the score r_i . t_j over sqrt(K), a
// learned matrix of rank K for each head.
struct RandomSynthesizer {
  static constexpr bool kHasQueries = false, kHasKeys = false;
  static int64_t dropout_streams(int64_t heads) { return heads; }

  Parameter position_queries, position_keys;  // [max, H*K], [max, G*K]

  explicit RandomSynthesizer(const AttentionDims& dims);
  // Throw ShapeError for a sequence with more rows than the tables.
  Tensor forward(const SelfInput& in, const Context& context) const;                  // [N, H*Kv]
  Tensor prefill(const SelfInput& in, KvCache& cache, const Context& context) const;  // [N, H*Kv]
  Tensor step(const SelfInput& in, KvCache& cache, const Context& context) const;     // [W, H*Kv]
  template <class V>
  void fields(V& v) {
    v("query_places.weight", position_queries);
    v("places.weight", position_keys);
  }

 private:
  SelfInput with_scores(const SelfInput& in, autograd::Tape* tape) const;
};

// What both kinds of synthesizer cannot do.
inline constexpr AttentionLimits kSynthesizerLimits = {
    .qk_norm = "forms no products of queries and keys",
    .rotary =
        "has no queries and keys to rotate; expected none, index, sinusoidal, learned, relative or "
        "alibi",
    .pruning = "learns tables for all heads at once; expected another kind"};

struct DenseSynthesizerOptions {
  static constexpr std::string_view kName = "synthesizer-dense";
  static constexpr std::string_view kHelp =
      "all, by scores of positions that a row's features give, without products with keys (Tay et "
      "al. 2021, arXiv 2005.00743)";
  static constexpr AttentionLimits kLimits = kSynthesizerLimits;
  static constexpr bool kHasTables = true;

  DenseSynthesizer make(const AttentionDims& dims) const { return DenseSynthesizer(dims); }
};

struct RandomSynthesizerOptions {
  static constexpr std::string_view kName = "synthesizer-random";
  static constexpr std::string_view kHelp =
      "all, by a learned score for each pair of positions, the same for all sequences";
  static constexpr AttentionLimits kLimits = kSynthesizerLimits;
  static constexpr bool kHasTables = true;

  RandomSynthesizer make(const AttentionDims& dims) const { return RandomSynthesizer(dims); }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_SYNTHESIZER_H_
