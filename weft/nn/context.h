// What one pass carries beside its data: tape, randomness, trace, cache. Layers hold no state.
#ifndef WEFT_NN_CONTEXT_H_
#define WEFT_NN_CONTEXT_H_

#include "weft/ops/fused/attention.h"
#include "weft/ops/rows.h"

namespace weft::nn {

class KvCache;
struct AttentionGuide;
struct BatchStatistics;

// Places of draws that no layer makes, beyond all of dropout: what is masked, what is sampled.
inline constexpr uint32_t kMaskingSite = 0xFFFFFE, kSamplingSite = 0xFFFFFF;

struct Context {
  autograd::Tape* tape = nullptr;        // null: nothing is saved
  bool training = false;                 // dropout on
  PhiloxKey key = {};                    // seed and update
  uint32_t pass = 0;                     // over the same update: 0, 1, ...
  uint32_t site = 0;                     // the next place of dropout in this pass
  bool recompute = false;                // layers keep their inputs alone and run again in backward
  ops::AttentionTrace* trace = nullptr;  // of a decoder, what attends to the source
  AttentionGuide* guide = nullptr;       // of training; see attention/guide.h
  KvCache* cache = nullptr;              // incremental decoding; see attention/kv_cache.h
  double drop_path = 0;  // in training, how often the layer at work adds nothing to a sentence
  // Receives what batch norms and clusters saw in training, unless null; see statistics.h.
  std::vector<BatchStatistics>* statistics = nullptr;

  // The next `count` places of dropout; an idle site where training is off or p is 0.
  ops::DropoutSite dropout(double p, const ops::RowsPtr& rows, uint32_t count = 1) {
    const uint32_t mine = site + (pass << 24);
    site += count;
    if (!training || p == 0) return {};
    return ops::make_dropout(p, key, mine, rows);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_CONTEXT_H_
