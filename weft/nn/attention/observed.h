// What observers see of each way to attend.
#ifndef WEFT_NN_ATTENTION_OBSERVED_H_
#define WEFT_NN_ATTENTION_OBSERVED_H_

#include <functional>
#include <optional>

#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/observer.h"

namespace weft::nn {

// Dot-product attention over whole sequences; by the composite twin, head by head.
class ObservedPass final : public ObservedAttention {
 public:
  // Both have to outlive it. q [N, H*K], k [M, G*K].
  ObservedPass(Tensor q, Tensor k, const ops::AttentionParams& params)
      : q_(std::move(q)), k_(std::move(k)), params_(&params) {}

  int64_t examples() const override { return params_->queries->sequences(); }
  int64_t heads() const override { return params_->heads; }
  Tensor probabilities(const ops::SequenceHead& which, autograd::Tape* tape) const override;
  Tensor log_probabilities(const ops::SequenceHead& which, autograd::Tape* tape) const override;

 private:
  Tensor scores(const ops::SequenceHead& which, autograd::Tape* tape) const;

  Tensor q_, k_;
  const ops::AttentionParams* params_;
};

// A pass of rows that attend to cached keys: a step of decoding, or prompts.
struct CachedPass {
  const Tensor& q;  // [N, H*K]
  const KvRows& kept;
  const RowLists& attended;
  int64_t value_width;                            // H*Kv
  const kernels::CachedAttention& call;           // how to attend
  std::span<const int32_t> first_positions = {};  // of `attended`; empty: 0
};

// The weights of all positions for each row, [1, all] in one tensor: zeros, but for what a row
// attends to.
struct AttendedWeights {
  Segments segments;  // of each row
  Tensor all;
  std::vector<float*> rows;  // what each attends to

  // For `first_positions` see CachedPass.
  explicit AttendedWeights(const RowLists& attended, std::span<const int32_t> first_positions = {});
  Tensor row(int64_t n) const { return all.col_range(segments.begin(n), segments.end(n)); }
};

class ObservedCachedPass final : public ObservedAttention {
 public:
  // Both have to outlive it; `mean` is what the kernel left of the heads.
  ObservedCachedPass(const CachedPass& pass, const AttendedWeights& mean)
      : pass_(pass), mean_(&mean) {}

  int64_t examples() const override { return pass_.q.rows(); }
  int64_t heads() const override { return pass_.call.heads; }
  Tensor probabilities(const ops::SequenceHead& which, autograd::Tape* tape) const override;
  Tensor mean(int64_t example) const override { return mean_->row(example); }

 private:
  CachedPass pass_;
  const AttendedWeights* mean_;
  mutable std::vector<std::optional<AttendedWeights>> heads_;  // those that were asked for
};

// Probabilities that are made when asked for, by a function of example and head.
class ObservedFunction final : public ObservedAttention {
 public:
  using Make = std::function<Tensor(const ops::SequenceHead& which)>;

  ObservedFunction(int64_t examples, int64_t heads, Make make)
      : examples_(examples), heads_(heads), make_(std::move(make)) {}

  int64_t examples() const override { return examples_; }
  int64_t heads() const override { return heads_; }
  Tensor probabilities(const ops::SequenceHead& which, autograd::Tape*) const override {
    return make_(which);
  }

 private:
  int64_t examples_, heads_;
  Make make_;
};

// Shows dot-product attention over whole sequences to the context's observer, if it wants it.
// q [N, H*K], k [M, G*K].
void show_to_observer(const Tensor& q, const Tensor& k, const ops::AttentionParams& params,
                      const AttentionKey& key, const Context& context);
// cached_attention(), seen by the context's observer.
Tensor attend(const CachedPass& pass, const AttentionKey& key, const Context& context);

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_OBSERVED_H_
