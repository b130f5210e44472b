// Looks at the attentions of a pass while it runs: a trace of probabilities (trace.h), a loss on
// them (guide.h). A pass without an observer pays nothing, and one with it has the same results.
#ifndef WEFT_NN_ATTENTION_OBSERVER_H_
#define WEFT_NN_ATTENTION_OBSERVER_H_

#include <array>
#include <compare>
#include <string_view>

#include "weft/nn/context.h"

namespace weft::nn {

enum class AttentionRole { kSelf, kCross };

// One attention of a model.
struct AttentionKey {
  std::string_view stack;  // "encoder", "decoder"; a literal
  int64_t layer = 0;       // in the order in which the stack's layers run; 0 of a recurrent decoder
  AttentionRole role = AttentionRole::kSelf;

  auto operator<=>(const AttentionKey&) const = default;
};

// One attention at work, only while the observer sees it. Nothing is computed unless asked for.
class ObservedAttention {
 public:
  ObservedAttention() = default;
  ObservedAttention(const ObservedAttention&) = delete;
  ObservedAttention& operator=(const ObservedAttention&) = delete;
  virtual ~ObservedAttention() = default;

  // Sequences of a pass over whole sequences, or rows (hypotheses) of a decoding step.
  virtual int64_t examples() const = 0;
  virtual int64_t heads() const = 0;
  // The probabilities [T, S] of an example's T queries, one in a step, for its S keys, before
  // dropout; in F32, or F64 where the queries are.
  virtual Tensor probabilities(const ops::SequenceHead& which, autograd::Tape* tape) const = 0;
  // log softmax of the scores. Throws Error for a kind without scores.
  virtual Tensor log_probabilities(const ops::SequenceHead& which, autograd::Tape* tape) const;
  // The mean of the heads' probabilities [T, S].
  virtual Tensor mean(int64_t example) const;
};

class AttentionObserver {
 public:
  virtual ~AttentionObserver() = default;
  virtual bool wants(const AttentionKey& key) const = 0;
  // Called for each attention that is wanted, in the order in which they run, with the pass's tape.
  virtual void see(const AttentionKey& key, const ObservedAttention& attention,
                   autograd::Tape* tape) = 0;
};

// Two observers of one pass; either may be null.
class ObserverPair final : public AttentionObserver {
 public:
  ObserverPair(AttentionObserver* first, AttentionObserver* second) : both_{first, second} {}

  bool wants(const AttentionKey& key) const override {
    return wants(both_[0], key) || wants(both_[1], key);
  }
  void see(const AttentionKey& key, const ObservedAttention& attention,
           autograd::Tape* tape) override {
    for (AttentionObserver* const each : both_) {
      if (wants(each, key)) each->see(key, attention, tape);
    }
  }

 private:
  static bool wants(const AttentionObserver* observer, const AttentionKey& key) {
    return observer != nullptr && observer->wants(key);
  }

  std::array<AttentionObserver*, 2> both_;
};

// The key of an attention of the layer at work.
inline AttentionKey key_of(const Context& context, AttentionRole role) {
  return {context.scope.stack, context.scope.layer, role};
}
inline bool is_observed(const Context& context, const AttentionKey& key) {
  return context.observer != nullptr && context.observer->wants(key);
}

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_OBSERVER_H_
