#include "weft/models/seq2seq/non_autoregressive.h"

#include <algorithm>
#include <numeric>

#include "weft/ops/add.h"
#include "weft/ops/fused/projection_ctc.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::models {
namespace {

// The pairs of one batch, and what their loss is computed from.
struct Pairs {
  const Seq2Seq& model;
  const data::Batch& batch;
  const nn::Memory& memory;
};

MaskedTargets masked_targets(const Pairs& p, const nn::Context& context) {
  const Seq2SeqOptions& o = p.model.options;
  if (o.generation.is<Parallel>()) return copy_sources(p.batch, o.generation);
  return mask_targets(p.batch.target(), static_cast<int32_t>(p.model.dims.begin_id),
                      context.training ? &context.key : nullptr);
}

// Of each predicted token: its own weight, times a factor for the tokens that are not masked.
ops::RowWeights weights_of(const Pairs& p, const MaskedTargets& masked,
                           const ops::RowWeights& given, bool is_drawn) {
  if (given == nullptr && !is_drawn) return nullptr;
  auto out = std::make_shared<std::vector<float>>();
  const Segments& targets = p.batch.target().segments;
  int64_t b = 0;
  for (const int32_t target : masked.targets) {
    while (targets.end(b) <= target) ++b;
    const float tokens = static_cast<float>(targets.length(b) - 1);
    out->push_back((given ? (*given)[target] : 1) * (is_drawn ? 2 * tokens / (tokens + 1) : 1));
  }
  return out;
}

ops::Loss token_loss(const Pairs& p, const ops::CrossEntropy& params, const nn::Context& context) {
  const MaskedTargets masked = masked_targets(p, context);
  if (masked.rows.empty()) return {};
  const Tensor all = p.model.decode(masked.input, p.memory, context);  // [N, D]
  const Tensor states = ops::select_rows(all, ops::make_selection(masked.rows, all.rows()),
                                         context.tape);  // [n, D]
  std::vector<int32_t> targets;
  for (const int32_t target : masked.targets) targets.push_back(p.batch.target().ids[target]);
  ops::CrossEntropy own = params;
  const bool is_drawn = p.model.options.is_mask_predict() && context.training;
  own.row_weights = weights_of(p, masked, params.row_weights, is_drawn);
  return ops::projection_loss(states, p.model.decoder.projection(),
                              ops::make_ids(std::move(targets)), own, context.tape);
}

ops::Loss ctc_loss(const Pairs& p, const ops::CrossEntropy& params, const nn::Context& context) {
  const data::Tokens& source = p.batch.source();
  std::vector<SourceCopy> copies;
  for (int64_t b = 0; b < source.examples(); ++b) {
    copies.push_back({source[b], positions_for(p.model.options.generation, std::ssize(source[b]))});
  }
  const DecoderInput input = copied_input(copies, source.segments.first);
  const Tensor states = p.model.decode(input, p.memory, context);  // [N, D]
  const ops::CtcLoss loss = ops::projection_ctc(
      states, p.model.decoder.projection(), {input.rows, ops::labels_without_end(p.batch.target())},
      {.blank = static_cast<int32_t>(p.model.dims.end_id), .weight = params.weight}, context.tape);
  const double total = std::accumulate(loss.losses.begin(), loss.losses.end(), 0.0);
  ops::Loss out{.value = loss.value, .total = total, .nll = total};
  for (const int64_t b : loss.impossible) out.left_out += std::ssize(p.batch.target()[b]);
  return out;
}

ops::Loss length_loss(const Pairs& p, const NonAutoregressiveParams& params,
                      const nn::Context& context) {
  const data::Tokens &source = p.batch.source(), &target = p.batch.target();
  const int64_t most = length_classifier(p.model.options.generation)->difference;
  std::vector<int32_t> classes;
  auto weights = std::make_shared<std::vector<float>>();
  for (int64_t b = 0; b < target.examples(); ++b) {
    const int64_t difference = std::ssize(target[b]) - std::ssize(source[b]);
    classes.push_back(static_cast<int32_t>(std::clamp(difference, -most, most) + most));
    float weight = static_cast<float>(params.length_weight);
    if (const auto& rows = params.token.row_weights) {
      const auto own = target.segments.span(*rows, b);
      weight *= std::accumulate(own.begin(), own.end(), 0.0f) / static_cast<float>(own.size());
    }
    weights->push_back(weight);
  }
  return ops::cross_entropy(p.model.length_logits(p.memory, context),
                            ops::make_ids(std::move(classes)),
                            {.weight = params.token.weight, .row_weights = weights}, context.tape);
}

ops::Loss sum(const ops::Loss& x, const ops::Loss& y, autograd::Tape* tape) {
  if (!x.value) return y;
  return {ops::add(x.value, y.value, tape), x.total + y.total, x.nll + y.nll};
}

}  // namespace

ops::Loss non_autoregressive_loss(const Seq2Seq& model, const data::Batch& batch,
                                  const NonAutoregressiveParams& params,
                                  const nn::Context& context) {
  const nn::Memory memory = model.encode(batch.source(), context);
  const Pairs pairs{model, batch, memory};
  if (model.options.is_ctc()) return ctc_loss(pairs, params.token, context);
  ops::Loss tokens = token_loss(pairs, params.token, context);
  if (!model.options.predicts_length()) return tokens;
  return sum(tokens, length_loss(pairs, params, context), context.tape);
}

}  // namespace weft::models
