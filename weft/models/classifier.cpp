#include "weft/models/classifier.h"

#include <numeric>

#include "weft/ops/binary_cross_entropy.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::models {
namespace {

// A row for each of so many texts.
ops::RowsPtr single_rows(int64_t texts, int32_t first_example) {
  std::vector<int32_t> offsets(static_cast<size_t>(texts) + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  return ops::make_rows(offsets, first_example);
}

// The weight of each text, that of its label.
ops::RowWeights weights_of(const std::vector<int32_t>& labels, const ops::RowWeights& weights) {
  if (weights == nullptr) return nullptr;
  std::vector<float> out;
  for (const int32_t label : labels) out.push_back((*weights)[static_cast<size_t>(label)]);
  return std::make_shared<const std::vector<float>>(std::move(out));
}

}  // namespace

Classifier::Classifier(const ClassifierOptions& o, const ClassifierSizes& s)
    : options(o), sizes(s) {
  o.check();
  if (o.is_sequence()) {
    sequence = make_label_sequence(o, s);
    return;
  }
  nn::DropoutSites dropouts;
  encoder = TextEncoder(o.encoder, s.text, dropouts);
  pooling = nn::make_pooling(o.pooling, encoder.width());
  pooled_dropout = {o.classifier_dropout, dropouts.take()};
  output = nn::Linear(encoder.width(), s.labels, true);
}

Tensor Classifier::pooled(const data::Tokens& tokens, int32_t first_example,
                          const nn::Context& context) const {
  const nn::Memory states = encoder(tokens, first_example, context);
  const Tensor x = pooling(states.states, states.rows, context.tape);  // [B, C]
  const ops::RowsPtr rows = single_rows(tokens.examples(), first_example);
  return ops::dropout(x, context.dropout(pooled_dropout, rows), context.tape);
}

Tensor Classifier::logits(const data::Tokens& tokens, int32_t first_example,
                          const nn::Context& context) const {
  return output(pooled(tokens, first_example, context), context.tape);
}

ops::Loss Classifier::loss(const data::Batch& batch, int32_t first_example,
                           const ClassifierLoss& rule, const nn::Context& context) const {
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  const data::Tokens& tokens = batch.tokens(0);
  if (options.is_sequence()) {
    std::vector<int32_t> ids = drop_words(tokens, TextEncoder::rows_of(tokens, first_example),
                                          sizes.text, options.encoder.word_dropout, context);
    return sequence.loss(label_sequence_batch(batch, std::move(ids), sequence), first_example,
                         {.smoothing = rule.smoothing, .weight = rule.weight}, context);
  }
  if (options.has_one_label()) {
    return ops::projection_loss(pooled(tokens, first_example, context),
                                {output.weight, output.bias}, ops::make_ids(labels.ids),
                                {.smoothing = rule.smoothing,
                                 .weight = rule.weight,
                                 .row_weights = weights_of(labels.ids, rule.label_weights)},
                                context.tape);
  }
  const double share = 1 / static_cast<double>(sizes.labels);
  const ops::BinaryLoss found = ops::binary_cross_entropy(
      logits(tokens, first_example, context), {ops::make_ids(labels.ids), labels.offsets},
      {.weight = rule.weight * share, .positive_weights = rule.label_weights, .row_weights = {}},
      context.tape);
  const double sum = std::accumulate(found.losses.begin(), found.losses.end(), 0.0) * share;
  return {.value = found.value, .smoothed = sum, .nll = sum};
}

}  // namespace weft::models
