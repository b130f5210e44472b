// Scaled dot-product attention. docs/kernels.md says which kernel runs a call.
#ifndef WEFT_KERNELS_ATTENTION_H_
#define WEFT_KERNELS_ATTENTION_H_

#include <cstdlib>
#include <span>

#include "weft/kernels/cost.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/score_function.h"

namespace weft::kernels {

// The keys of its sentence that a query attends to. Positions are cut into blocks: those whose
// blocks are at most `window` apart attend to each other, and the first `global` positions attend
// to all and all to them (Longformer, Beltagy et al. 2020, arXiv 2004.05150; ETC, Ainslie et al.
// 2020, arXiv 2004.08483).
struct AttentionPattern {
  int64_t window = -1;  // -1: any
  int64_t block = 1;
  int64_t global = 0;

  bool is_bounded() const { return window >= 0; }
  bool allows(int64_t query, int64_t key) const {
    return !is_bounded() || query < global || key < global ||
           std::abs(query / block - key / block) <= window;
  }
};

// What is added to the scores of a head by the distance from the query to the key.
struct ScoreBias {
  View table;  // [2R + 1, H], of F32 or the type of q: row R + j - i, distances beyond R as R
  std::span<const float> slopes;  // [H]: -slope |j - i| (ALiBi, Press et al. 2022); or empty

  explicit operator bool() const { return table || !slopes.empty(); }
};

// Ragged attention: sentence b has queries q_offsets[b]..q_offsets[b+1] and keys
// k_offsets[b]..k_offsets[b+1]. q [N, H*K], k [M, G*K], v [M, G*Kv], out [N, H*Kv]; each of the G
// `key_heads` serves H / G heads in turn (Ainslie et al. 2023, arXiv 2305.13245). Scores are
// q.k * scale + bias. A row's position is its index in its sentence unless given; `causal`: a query
// attends to no key after its own position. Where is_plain(), lse [N, H] (f32, or f64 when q is
// f64) keeps each row's log of the sum of exponentials for backward; else it is empty. Dropout acts
// on the probabilities: sentence and position are those of the query row, the feature is the key's
// index in its sentence, and the site of head h is site + h.
struct Attention {
  View q, k, v, out, lse;
  std::span<const int32_t> q_offsets, k_offsets;  // [B + 1]
  int64_t heads = 1;
  int64_t key_heads = 0;  // G; 0: as many as heads
  double scale = 1;
  bool causal = false;
  DropoutMask dropout = {};
  AttentionPattern pattern = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  ScoreBias bias = {};
  const int32_t* q_position = nullptr;  // [N] or null
  const int32_t* k_position = nullptr;  // [M] or null

  int64_t group() const { return key_heads == 0 ? 1 : heads / key_heads; }  // H / G
  int64_t key_head_of(int64_t head) const { return head / group(); }
  DropoutMask dropout_of(int64_t head) const {
    DropoutMask of_head = dropout;
    of_head.site += static_cast<uint32_t>(head);
    return of_head;
  }
  // Softmax over whole sentences, or up to the query's own index, and nothing else.
  bool is_plain() const {
    return !pattern.is_bounded() && !bias && function == ScoreFunction::kSoftmax &&
           q_position == nullptr && k_position == nullptr;
  }
  static constexpr std::string_view kName = "attention";
  Cost cost() const;  // of the two products, without what a window masks
};

// Gradients of Attention; d_q, d_k and d_v are overwritten, d_table [2R + 1, H] (F32, or F64 when q
// is F64), where not empty, is added to.
struct AttentionBackward {
  Attention forward;
  View d_out = {}, d_q = {}, d_k = {}, d_v = {};
  View d_table = {};
  static constexpr std::string_view kName = "d_attention";
  Cost cost() const;  // of five products
};

// One decoding step against cached keys and values: row w of q [W, H*K] attends, of the
// rows rows[offsets[w]] to rows[offsets[w + 1]] of keys [capacity, G*K] and values [capacity,
// G*Kv], which may be BF16, to those that its pattern allows: their positions are 0, 1, ..., its
// own is that of the last unless given. out [W, H*Kv]. Where `weights` is not null it receives the
// mean of the heads' attention probabilities for each of `rows`.
struct CachedAttention {
  View q, out;
  View keys, values;
  std::span<const int32_t> rows;
  std::span<const int32_t> offsets;  // [W + 1]
  int64_t heads = 1;
  int64_t key_heads = 0;  // G; 0: as many as heads
  double scale = 1;
  AttentionPattern pattern = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  ScoreBias bias = {};
  const int32_t* position = nullptr;  // [W] or null
  float* weights = nullptr;

  int64_t key_head_of(int64_t head) const {
    return key_heads == 0 ? head : head / (heads / key_heads);
  }
  bool is_plain() const {  // softmax over all rows
    return !pattern.is_bounded() && !bias && function == ScoreFunction::kSoftmax;
  }
  static constexpr std::string_view kName = "cached_attention";
  Cost cost() const {
    const auto pairs = static_cast<double>(rows.size());
    const double sizes = static_cast<double>(q.cols + out.cols);
    return {2 * pairs * sizes, pairs * sizes * static_cast<double>(size_of(keys.dtype))};
  }
};

namespace ref {
void run(const Attention&), run(const AttentionBackward&), run(const CachedAttention&);
}
namespace cpu {
void run(const Attention&), run(const AttentionBackward&), run(const CachedAttention&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ATTENTION_H_
