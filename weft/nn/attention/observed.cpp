#include "weft/nn/attention/observed.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/attention_probabilities.h"
#include "weft/ops/convert.h"
#include "weft/ops/softmax.h"

namespace weft::nn {

Tensor ObservedAttention::log_probabilities(const ops::SequenceHead&, autograd::Tape*) const {
  fail<Error>("attention", "its kind has no scores; expected dot-product attention over sequences");
}

Tensor ObservedAttention::mean(int64_t example) const {
  if (heads() == 1) return probabilities({example, 0}, nullptr);
  Tensor sum;
  for (int64_t h = 0; h < heads(); ++h) {
    const Tensor p = probabilities({example, h}, nullptr);
    if (!sum) sum = Tensor::zeros(p.shape(), p.dtype());
    backend_of(p)(kernels::Accumulate{.alpha = 1 / static_cast<double>(heads()), .x = p, .y = sum});
  }
  return sum;
}

Tensor ObservedPass::scores(const ops::SequenceHead& which, autograd::Tape* tape) const {
  return ops::convert(ops::attention_scores(q_, k_, *params_, which, tape), sum_type(q_.dtype()),
                      tape);
}

Tensor ObservedPass::probabilities(const ops::SequenceHead& which, autograd::Tape* tape) const {
  return ops::attention_probabilities(scores(which, tape), params_->function, tape);
}

Tensor ObservedPass::log_probabilities(const ops::SequenceHead& which, autograd::Tape* tape) const {
  return ops::log_softmax(scores(which, tape), tape);
}

AttendedWeights::AttendedWeights(const RowLists& attended,
                                 std::span<const int32_t> first_positions) {
  const auto first = [&](size_t n) { return first_positions.empty() ? 0 : first_positions[n]; };
  for (size_t n = 0; n < attended.size(); ++n) segments.append(first(n) + std::ssize(attended[n]));
  all = Tensor::zeros({1, segments.rows()});
  for (size_t n = 0; n < attended.size(); ++n) {
    rows.push_back(all.data<float>() + segments.begin(static_cast<int64_t>(n)) + first(n));
  }
}

// The kernel once more, for one head alone.
Tensor ObservedCachedPass::probabilities(const ops::SequenceHead& which, autograd::Tape*) const {
  heads_.resize(static_cast<size_t>(heads()));
  std::optional<AttendedWeights>& weights = heads_[static_cast<size_t>(which.head)];
  if (!weights) {
    weights.emplace(pass_.attended, pass_.first_positions);
    kernels::CachedAttention one = pass_.call;
    one.only_head = which.head;
    one.weights = weights->rows;
    const Tensor unread = Tensor::empty({pass_.q.rows(), pass_.value_width}, pass_.q.dtype());
    attend_to_rows(pass_.q, pass_.kept, pass_.attended, unread, one);
  }
  return weights->row(static_cast<int64_t>(which.sequence));
}

void show_to_observer(const Tensor& q, const Tensor& k, const ops::AttentionParams& params,
                      const AttentionKey& key, const Context& context) {
  if (!is_observed(context, key)) return;
  context.observer->see(key, ObservedPass(q, k, params), context.tape);
}

Tensor attend(const CachedPass& pass, const AttentionKey& key, const Context& context) {
  Tensor out = Tensor::empty({pass.q.rows(), pass.value_width}, pass.q.dtype());
  if (!is_observed(context, key)) {
    attend_to_rows(pass.q, pass.kept, pass.attended, out, pass.call);
    return out;
  }
  const AttendedWeights mean(pass.attended, pass.first_positions);
  kernels::CachedAttention call = pass.call;
  call.weights = mean.rows;
  attend_to_rows(pass.q, pass.kept, pass.attended, out, call);
  context.observer->see(key, ObservedCachedPass(pass, mean), nullptr);
  return out;
}

}  // namespace weft::nn
