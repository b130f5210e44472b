// A record of what attends to what in a pass.
#ifndef WEFT_NN_ATTENTION_TRACE_H_
#define WEFT_NN_ATTENTION_TRACE_H_

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "weft/nn/attention/observer.h"

namespace weft::nn {

// The probabilities of every head for every example, by stack, layer, and self or cross, in
// training, scoring and step-by-step decoding alike:
//
//     AttentionTrace trace;
//     context.observer = &trace;
//     model.decode(...);
//     trace.probabilities({"decoder", 5, AttentionRole::kCross}, example)[head];  // [T, S]
//
// Of an attention that is seen again, as in the next step of decoding, the last is held. Kinds that
// have no probability for a row of keys are not recorded: linformer and sinkhorn, which attend to
// mixtures of rows, and in decoding steps linear attention, which keeps no keys.
class AttentionTrace final : public AttentionObserver {
 public:
  AttentionTrace() = default;                                 // of every attention
  explicit AttentionTrace(std::vector<AttentionKey> wanted);  // of these

  bool wants(const AttentionKey& key) const override;
  void see(const AttentionKey& key, const ObservedAttention& attention,
           autograd::Tape* tape) override;

  // What has been recorded.
  std::vector<AttentionKey> keys() const;
  int64_t examples(const AttentionKey& key) const;
  // [T, S] of each head, in F32, or F64 where the model is; before dropout. Throws Error for what
  // was not recorded.
  std::span<const Tensor> probabilities(const AttentionKey& key, int64_t example) const;

 private:
  struct Entry {
    int64_t heads = 0;
    std::vector<Tensor> matrices;  // of each example and head
  };
  const Entry& at(const AttentionKey& key) const;

  std::optional<std::vector<AttentionKey>> wanted_;
  std::map<AttentionKey, Entry> entries_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_TRACE_H_
