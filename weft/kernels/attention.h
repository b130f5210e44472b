// Scaled dot-product attention. docs/kernels.md describes which kernel runs a call.
#ifndef WEFT_KERNELS_ATTENTION_H_
#define WEFT_KERNELS_ATTENTION_H_

#include <algorithm>
#include <cstdlib>
#include <span>

#include "weft/kernels/cost.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/paged_rows.h"
#include "weft/kernels/score_function.h"

namespace weft::kernels {

// A sparse attention pattern within a sequence. Positions are grouped into blocks of `block`; a
// query attends to keys whose blocks are at most `window` apart. The first `global` positions
// attend to all positions, and all positions attend to them (Longformer, Beltagy et al. 2020, arXiv
// 2004.05150; ETC, Ainslie et al. 2020, arXiv 2004.08483). In a grid the positions after the global
// ones are its places, row by row, a block is a row, and columns are at most `window` apart, too.
struct AttentionPattern {
  int64_t window = -1;  // in blocks; -1: unlimited
  int64_t block = 1;
  int64_t global = 0;
  bool is_grid = false;

  bool operator==(const AttentionPattern&) const = default;
  bool is_bounded() const { return window >= 0; }
  // Whether a query attends to keys without gaps.
  bool is_contiguous() const { return !is_bounded() || (global == 0 && !is_grid); }
  int64_t first() const { return is_grid ? global : 0; }  // position of the first block
  int64_t block_of(int64_t position) const { return (position - first()) / block; }
  int64_t column_of(int64_t position) const { return (position - first()) % block; }
  bool allows(int64_t query, int64_t key) const {
    if (!is_bounded() || query < global || key < global) return true;
    return std::abs(block_of(query) - block_of(key)) <= window &&
           (!is_grid || std::abs(column_of(query) - column_of(key)) <= window);
  }
  // The first key, that of a block, that a query at this position, or at a later one, may attend
  // to.
  int64_t first_key(int64_t query) const {
    if (!is_bounded() || !is_contiguous()) return 0;
    return std::max<int64_t>(block_of(query) - window, 0) * block;
  }
};

// A bias that is added to attention scores as a function of head and distance from query i to key
// j.
struct ScoreBias {
  View table;                     // [2R + 1, H], F32 or the type of q: row R + clamp(j - i, -R, R)
  std::span<const float> slopes;  // [H]: -slope |j - i| (ALiBi, Press et al. 2022); or empty

  explicit operator bool() const { return table || !slopes.empty(); }
};

// Ragged attention: sequence b has queries q_offsets[b]..q_offsets[b+1] and keys
// k_offsets[b]..k_offsets[b+1]. q [N, H*K], k [M, G*K], v [M, G*Kv], out [N, H*Kv]; each of the G
// `key_heads` serves H / G consecutive heads (grouped-query attention, Ainslie et al. 2023, arXiv
// 2305.13245). Scores are soft_cap(q.k * scale) + bias. Positions default to the index in the
// sequence. With `causal` a query does not attend to keys at later positions. If is_plain(), lse
// [N, H] (F32, or F64 when q is F64) receives the log-sum-exp of each row for backward; otherwise
// it is empty. Dropout applies to the probabilities: its sequence and position are those of the
// query row, its feature is the key's index in the sequence, and head h uses stream + h.
struct Attention {
  View q, k, v, out, lse;
  std::span<const int32_t> q_offsets, k_offsets;  // [B + 1]
  int64_t heads = 1;
  int64_t key_heads = 0;  // G; 0: equal to heads
  double scale = 1;
  bool causal = false;
  DropoutMask dropout = {};
  AttentionPattern pattern = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  double soft_cap = 0;  // c: the score s is c tanh(s / c) (Gemma 2, arXiv 2408.00118); 0: none
  ScoreBias bias = {};
  const int32_t* q_position = nullptr;  // [N] or null
  const int32_t* k_position = nullptr;  // [M] or null

  int64_t group() const { return key_heads == 0 ? 1 : heads / key_heads; }  // H / G
  int64_t key_head_of(int64_t head) const { return head / group(); }
  DropoutMask dropout_of(int64_t head) const {
    DropoutMask head_mask = dropout;
    head_mask.stream += static_cast<uint32_t>(head);
    return head_mask;
  }
  // Whether this is plain softmax attention over whole sequences or, with `causal`, over the keys
  // up to the query's index.
  bool is_plain() const {
    return !pattern.is_bounded() && !bias && function == ScoreFunction::kSoftmax && soft_cap == 0 &&
           q_position == nullptr && k_position == nullptr;
  }
  static constexpr std::string_view kName = "attention";
  Cost cost() const;  // of the two products; ignores the pattern
};

// Gradients of Attention. d_q, d_k and d_v are overwritten. d_table [2R + 1, H] (F32, or F64 when q
// is F64), unless empty, is accumulated into.
struct AttentionBackward {
  Attention forward;
  View d_out = {}, d_q = {}, d_k = {}, d_v = {};
  View d_table = {};
  static constexpr std::string_view kName = "d_attention";
  Cost cost() const;  // of five products
};

// Attention to cached keys and values, of a decoding step or of prompts. Row w of q [W, H*K]
// attends to the cache rows rows[w] of keys [rows, G*K] and values [rows, G*Kv], of the type of q,
// BF16 or I8, as far as the pattern allows. Rows of a prompt may share a list (the same data()):
// adjacent ones whose lengths do not shrink are computed together. The keys have positions 0, 1,
// ...; the query has that of the last key unless given. A list may lack whole blocks of keys, from
// the first on, that the pattern hides. out is [W, H*Kv]. weights[w], where there are any, receives
// the attention probability of each of rows[w], averaged over heads. The result of a row does not
// depend on the others.
struct CachedAttention {
  View q, out;
  PagedRows keys, values;
  std::span<const std::span<const int32_t>> rows;  // [W]
  int64_t heads = 1;
  int64_t key_heads = 0;  // G; 0: equal to heads
  double scale = 1;
  AttentionPattern pattern = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  double soft_cap = 0;  // as of Attention
  ScoreBias bias = {};
  const int32_t* position = nullptr;     // [W] or null
  std::span<float* const> weights = {};  // [W] or empty
  int64_t only_head = -1;                // unless -1, other heads are left as they are

  int64_t groups() const { return key_heads == 0 ? heads : key_heads; }  // G
  int64_t first_head() const { return only_head < 0 ? 0 : only_head; }
  int64_t end_head() const { return only_head < 0 ? heads : only_head + 1; }
  int64_t key_head_of(int64_t head) const {
    return key_heads == 0 ? head : head / (heads / key_heads);
  }
  int64_t position_of(int64_t w) const {
    return position != nullptr ? position[w] : std::ssize(rows[w]) - 1;
  }
  bool is_plain() const {  // softmax over rows without gaps
    return pattern.is_contiguous() && !bias && function == ScoreFunction::kSoftmax && soft_cap == 0;
  }
  static constexpr std::string_view kName = "cached_attention";
  Cost cost() const {
    double pairs = 0;
    for (const auto& attended : rows) pairs += static_cast<double>(attended.size());
    const double sizes = static_cast<double>(q.cols + out.cols);
    return {2 * pairs * sizes, pairs * sizes * static_cast<double>(size_of(keys.dtype()))};
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
