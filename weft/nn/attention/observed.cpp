#include "weft/nn/attention/observed.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/attention_probabilities.h"
#include "weft/ops/convert.h"
#include "weft/ops/softmax.h"

namespace weft::nn {

Tensor ObservedAttention::log_probabilities(const ops::SentenceHead&, autograd::Tape*) const {
  fail<Error>("attention", "its kind has no scores; expected dot-product attention over sentences");
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

Tensor ObservedPass::scores(const ops::SentenceHead& which, autograd::Tape* tape) const {
  return ops::convert(ops::attention_scores(q_, k_, *rule_, which, tape), sum_type(q_.dtype()),
                      tape);
}

Tensor ObservedPass::probabilities(const ops::SentenceHead& which, autograd::Tape* tape) const {
  return ops::attention_probabilities(scores(which, tape), rule_->function, tape);
}

Tensor ObservedPass::log_probabilities(const ops::SentenceHead& which, autograd::Tape* tape) const {
  return ops::log_softmax(scores(which, tape), tape);
}

Tensor ObservedStep::part_of(const Tensor& all, int64_t example) const {
  const Segments& segments = step_.attended.segments;
  return all.col_range(segments.begin(example), segments.end(example));
}

Tensor ObservedStep::mean(int64_t example) const { return part_of(mean_, example); }

// The kernel once more, for one head alone.
Tensor ObservedStep::probabilities(const ops::SentenceHead& which, autograd::Tape*) const {
  heads_.resize(static_cast<size_t>(heads()));
  Tensor& all = heads_[static_cast<size_t>(which.head)];
  if (!all) {
    const int64_t size = step_.q.cols() / heads(), key_head = step_.call.key_head_of(which.head);
    const int64_t value_size = step_.kept.values.cols() * size / step_.kept.keys.cols();
    all = Tensor::empty({1, std::ssize(step_.attended.rows)});
    kernels::CachedAttention one = step_.call;
    one.heads = 1, one.key_heads = 0;
    one.weights = all.data<float>();
    const Tensor table =
        step_.bias.table ? step_.bias.table.col_range(which.head, which.head + 1) : Tensor();
    if (table) one.bias.table = table;
    if (!one.bias.slopes.empty()) one.bias.slopes = one.bias.slopes.subspan(which.head, 1);
    const KvRows kept{
        step_.kept.keys.col_range(key_head * size, (key_head + 1) * size),
        step_.kept.values.col_range(key_head * value_size, (key_head + 1) * value_size)};
    cached_attention(step_.q.col_range(which.head * size, (which.head + 1) * size), kept,
                     step_.attended, one);
  }
  return part_of(all, static_cast<int64_t>(which.sentence));
}

Tensor attend(const AttentionInput& in, const ops::AttentionRule& rule, const AttentionKey& key,
              const Context& context) {
  if (is_observed(context, key)) {
    context.observer->see(key, ObservedPass(in.q, in.k, rule), context.tape);
  }
  return ops::attention(in.q, in.k, in.v, rule, context.tape);
}

Tensor attend(const CachedStep& step, const AttentionKey& key, const Context& context) {
  if (!is_observed(context, key)) {
    return cached_attention(step.q, step.kept, step.attended, step.call);
  }
  const Tensor mean = Tensor::empty({1, std::ssize(step.attended.rows)});
  kernels::CachedAttention call = step.call;
  call.weights = mean.data<float>();
  Tensor out = cached_attention(step.q, step.kept, step.attended, call);
  context.observer->see(key, ObservedStep(step, mean), nullptr);
  return out;
}

}  // namespace weft::nn
