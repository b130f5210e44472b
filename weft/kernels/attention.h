// What the kernels of attention take, and the dropout that they share with others.
#ifndef WEFT_KERNELS_ATTENTION_H_
#define WEFT_KERNELS_ATTENTION_H_

#include <cstdint>
#include <cstdlib>
#include <span>

#include "weft/core/random.h"
#include "weft/kernels/view.h"

namespace weft::kernels {

// Inverted dropout whose mask is a pure function of where an element stands (Philox4x32-10).
// Feature f of row n is dropped when its 16-bit draw is below `threshold`. The draw: with
//   block = 16 * (f / 128) + f % 16,   j = (f / 16) % 8,
//   words = philox({site, sentence[n], position[n], block}, key),
// it is the low (j even) or high (j odd) half of words[j / 2].
struct Dropout {
  uint32_t threshold = 0;  // 0: no dropout
  uint32_t site = 0;       // layer and place, and the pass over the same update
  PhiloxKey key = {};
  const int32_t* sentence = nullptr;  // [N] the sentence's index in the global update
  const int32_t* position = nullptr;  // [N] the row's position in its sentence

  explicit operator bool() const { return threshold != 0; }
  double factor() const { return 65536.0 / (65536 - threshold); }  // of what is kept
};

// Which keys of its sentence a query sees. Positions are cut into blocks: those whose blocks are at
// most `window` apart see each other, and the first `global` positions see and are seen by all
// (Longformer, Beltagy et al. 2020, arXiv 2004.05150; ETC, Ainslie et al. 2020, arXiv 2004.08483).
struct Reach {
  int64_t window = -1;  // -1: any
  int64_t block = 1;
  int64_t global = 0;

  bool is_bounded() const { return window >= 0; }
  bool sees(int64_t query, int64_t key) const {
    return !is_bounded() || query < global || key < global ||
           std::abs(query / block - key / block) <= window;
  }
};

// How the scores s of the n keys that a query sees become weights.
enum class ScoreFunction {
  kSoftmax,
  kRelu,         // max(s, 0) / n (Wortsman et al. 2023, arXiv 2309.08586)
  kSquaredRelu,  // max(s, 0)^2 / n (Hua et al. 2022, arXiv 2202.10447)
  kSigmoid,      // 1 / (1 + n exp(-s)) (Ramapuram et al. 2024, arXiv 2409.04431)
  kSparsemax,    // max(s - t, 0), t such that they sum up to 1 (Martins and Astudillo 2016)
  kEntmax15,     // max(s / 2 - t, 0)^2, t likewise (Peters et al. 2019, arXiv 1905.05702)
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
// sees no key after its own position. Where is_plain(), lse [N, H] (f32, or f64 when q is f64)
// keeps each row's log of the sum of exponentials for backward; else it is empty. Dropout acts on
// the weights: sentence and position are those of the query row, the feature is the key's index in
// its sentence, and the site of head h is site + h.
struct Attention {
  View q, k, v, out, lse;
  std::span<const int32_t> q_offsets, k_offsets;  // [B + 1]
  int64_t heads = 1;
  int64_t key_heads = 0;  // G; 0: as many as heads
  double scale = 1;
  bool causal = false;
  Dropout dropout = {};
  Reach reach = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  ScoreBias bias = {};
  const int32_t* q_position = nullptr;  // [N] or null
  const int32_t* k_position = nullptr;  // [M] or null

  int64_t group() const { return key_heads == 0 ? 1 : heads / key_heads; }  // H / G
  int64_t key_head_of(int64_t head) const { return head / group(); }
  Dropout dropout_of(int64_t head) const {
    Dropout of_head = dropout;
    of_head.site += static_cast<uint32_t>(head);
    return of_head;
  }
  // Softmax over whole sentences, or up to the query's own index, and nothing else.
  bool is_plain() const {
    return !reach.is_bounded() && !bias && function == ScoreFunction::kSoftmax &&
           q_position == nullptr && k_position == nullptr;
  }
};

// Gradients of Attention; d_q, d_k and d_v are overwritten, d_table [2R + 1, H] (F32, or F64 when q
// is F64), where not empty, is added to.
struct AttentionGradient {
  Attention forward;
  View d_out = {}, d_q = {}, d_k = {}, d_v = {};
  View d_table = {};
};

// One decoding step against cached keys and values: row w of q [W, H*K] sees of the rows
// rows[offsets[w]] to rows[offsets[w + 1]] of keys [capacity, G*K] and values [capacity, G*Kv],
// which may be BF16, what its reach allows: their positions are 0, 1, ..., its own is that of the
// last unless given. out [W, H*Kv]. Where `weights` is not null it receives the mean of the heads'
// attention weights for each of `rows`.
struct CachedAttention {
  View q, out;
  View keys, values;
  std::span<const int32_t> rows;
  std::span<const int32_t> offsets;  // [W + 1]
  int64_t heads = 1;
  int64_t key_heads = 0;  // G; 0: as many as heads
  double scale = 1;
  Reach reach = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  ScoreBias bias = {};
  const int32_t* position = nullptr;  // [W] or null
  float* weights = nullptr;

  int64_t key_head_of(int64_t head) const {
    return key_heads == 0 ? head : head / (heads / key_heads);
  }
  bool is_plain() const {  // softmax over all rows
    return !reach.is_bounded() && !bias && function == ScoreFunction::kSoftmax;
  }
};

// Rotary positions (Su et al. 2021, arXiv 2104.09864) of rows [N, H*K]: the K columns of each head
// are cut into `axes` parts of two halves; of part p, feature f of the first half and of the second
// become (a cos - b sin, b cos + a sin) of (a, b), the angle being
//   position[n * axes + p] * base^(-f / half),  half = K / (2 * axes).
// `back` turns by its negative, as gradients are.
struct Rotary {
  const int32_t* position = nullptr;  // [N, axes]
  int64_t axes = 1;
  int64_t heads = 1;
  double base = 10000;
  bool back = false;
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ATTENTION_H_
