// What one pass carries beside its data: tape, randomness, observer. Modules only read it.
#ifndef WEFT_NN_CONTEXT_H_
#define WEFT_NN_CONTEXT_H_

#include <string_view>

#include "weft/core/random.h"
#include "weft/nn/dropout.h"
#include "weft/ops/fused/attention.h"
#include "weft/ops/layout.h"

namespace weft::nn {

class AttentionObserver;
struct RunningStatistics;

// RNG streams of random draws other than dropout, above all streams of dropouts: for what a masked
// language model predicts, how pictures are changed, what is masked, and what is sampled.
inline constexpr uint32_t kPredictionStream = 0xFFFFFC, kAugmentationStream = 0xFFFFFD,
                          kMaskingStream = 0xFFFFFE, kSamplingStream = 0xFFFFFF;

// The layer of a stack that is at work.
struct LayerScope {
  std::string_view stack = {};  // "encoder", "decoder"
  int64_t layer = 0;            // in the order in which the layers run
  uint32_t first_dropout = 0;   // the RNG stream that its dropouts count from
  double drop_path = 0;         // in training, how often it adds nothing to a sequence
};

struct Context {
  autograd::Tape* tape = nullptr;  // null: nothing is saved
  bool training = false;           // dropout on
  PhiloxKey key = {};              // seed and update
  uint32_t pass = 0;               // over the same update: 0, 1, ...
  bool recompute = false;          // layers save their inputs alone and run again in backward
  AttentionObserver* observer = nullptr;  // sees every attention of the pass, unless null
  // Receives what batch norms and clusters saw in training, unless null; see statistics.h.
  std::vector<RunningStatistics>* statistics = nullptr;
  LayerScope scope = {};

  // The same pass in a layer.
  Context in(const LayerScope& layer) const {
    Context out = *this;
    out.scope = layer;
    return out;
  }
  // No dropout where training is off or p is 0.
  ops::DropoutParams dropout(const Dropout& dropout, const ops::LayoutPtr& rows) const {
    if (!training || dropout.p == 0) return {};
    const uint32_t stream = scope.first_dropout + dropout.stream + (pass << 24);
    return ops::make_dropout(dropout.p, key, stream, rows);
  }
};

// The draws by which example b of these is changed.
inline RandomStream augmentation_stream(const Context& context, const Segments& segments,
                                        int64_t b) {
  const uint64_t seed = context.key[0] | uint64_t{context.key[1]} << 32;
  const auto index = static_cast<uint64_t>(segments.first) + static_cast<uint64_t>(b);
  return {seed, index | uint64_t{kAugmentationStream} << 32};
}

}  // namespace weft::nn

#endif  // WEFT_NN_CONTEXT_H_
