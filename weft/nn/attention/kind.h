// What the kinds of self-attention have in common. A kind is a struct of options in the list of
// kinds.h: its name, what it cannot do, and make(sizes), the module with its parameters.
#ifndef WEFT_NN_ATTENTION_KIND_H_
#define WEFT_NN_ATTENTION_KIND_H_

#include "weft/core/error.h"
#include "weft/options/fields.h"

namespace weft::nn {

// What a kind does not support, each with the reason, which follows "--attention KIND" in an error;
// null for what it supports.
struct AttentionLimits {
  const char* causal = nullptr;      // in a decoder
  const char* activation = nullptr;  // another --attention-activation than softmax
  // Activations that take each score alone, such as ReLU.
  const char* elementwise = nullptr;
  const char* dropout = nullptr;     // of attention probabilities
  const char* key_heads = nullptr;   // that several heads share
  const char* qk_norm = nullptr;     // norms of queries and keys
  const char* score_bias = nullptr;  // positions that are added to scores
  const char* rotary = nullptr;      // positions that rotate queries and keys
  const char* pruning = nullptr;     // of some heads in some layers
};

// The layers of a stack whose attention is full in place of a kind's: from the `first` on, counted
// from 1, one of `every`, or none where that is 0; and the lowest `lowest`.
struct FullLayers {
  int64_t every = 0;
  int64_t first = 1;  // at most `every`
  int64_t lowest = 0;

  bool any() const { return every > 0 || lowest > 0; }
  bool has(int64_t layer) const {  // from 0
    return layer < lowest || (every > 0 && layer % every == first - 1);
  }
};

// What a module is made for.
struct AttentionDims {
  int64_t features = 512;       // D
  int64_t heads = 8;            // H
  int64_t key_heads = 8;        // G
  int64_t key_size = 64;        // K
  int64_t max_positions = 512;  // rows of learned tables
  bool has_bias = true;

  int64_t query_width() const { return heads * key_size; }    // H*K
  int64_t key_width() const { return key_heads * key_size; }  // G*K
};

// Throws OptionError where an option that a kind cannot do without is 0.
inline void check_given(std::string_view kind, std::string_view option, int64_t value) {
  if (value != 0) return;
  fail<OptionError>("--attention", "{} needs {}; expected at least 1", kind, option);
}

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KIND_H_
