#include "weft/models/classifier.h"

#include <numeric>

#include "weft/ops/binary_cross_entropy.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::models {
namespace {

// The weight of each text, that of its label.
ops::RowWeights weights_of(const std::vector<int32_t>& labels, const ops::RowWeights& weights) {
  if (weights == nullptr) return nullptr;
  std::vector<float> out;
  out.reserve(labels.size());
  for (const int32_t label : labels) out.push_back((*weights)[static_cast<size_t>(label)]);
  return std::make_shared<const std::vector<float>>(std::move(out));
}

}  // namespace

Classifier::Classifier(const ClassifierOptions& o, const ClassifierSizes& s)
    : options(o), sizes(s) {
  o.check();
  s.check(o);
  if (o.is_sequence()) {
    sequence = make_label_sequence(o, s);
    return;
  }
  nn::DropoutSites dropouts;
  if (o.is_text()) {
    encoder = TextEncoder(o.text_encoder(), s.text, dropouts);
  } else {
    const auto& input = o.input.get<ImageInput>();
    encoder = VectorEncoder(
        o.encoder,
        {.width = s.image.patch_width(input.patch_size), .has_class_token = o.with_begin()},
        dropouts);
  }
  const int64_t width = std::visit([](const auto& e) { return e.width(); }, encoder);
  pooling = nn::make_pooling(o.pooling, width);
  pooled_dropout = {o.classifier_dropout, dropouts.take()};
  output = nn::Linear(width, s.labels, true);
}

nn::Memory Classifier::encode(const data::Field& input, const nn::Context& context) const {
  if (const auto* text = std::get_if<TextEncoder>(&encoder)) {
    return (*text)(std::get<data::Tokens>(input), context);
  }
  return std::get<VectorEncoder>(encoder)(std::get<data::Features>(input), context);
}

Tensor Classifier::pooled(const data::Field& input, const nn::Context& context) const {
  const nn::Memory states = encode(input, context);
  const Tensor x = pooling(states.states, states.rows, context.tape);  // [B, C]
  Segments examples = Segments::uniform(states.rows->sentences(), 1);
  examples.first = states.rows->segments.first;
  const ops::RowsPtr rows = ops::make_rows(std::move(examples));
  return ops::dropout(x, context.dropout(pooled_dropout, rows), context.tape);
}

Tensor Classifier::logits(const data::Field& input, const nn::Context& context) const {
  return output(pooled(input, context), context.tape);
}

ops::Loss Classifier::loss(const data::Batch& batch, const ClassifierLoss& rule,
                           const nn::Context& context) const {
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  const data::Field& input = batch.fields[0];
  if (options.is_sequence()) {
    const data::Tokens& tokens = batch.tokens(0);
    std::vector<int32_t> ids = drop_words(tokens, ops::make_rows(tokens.segments), sizes.text,
                                          options.input.get<TextInput>().word_dropout, context);
    return sequence.loss(label_sequence_batch(batch, std::move(ids), sequence),
                         {.smoothing = rule.smoothing, .weight = rule.weight}, context);
  }
  if (options.has_one_label()) {
    return ops::projection_loss(pooled(input, context), {output.weight, output.bias},
                                ops::make_ids(labels.ids),
                                {.smoothing = rule.smoothing,
                                 .weight = rule.weight,
                                 .row_weights = weights_of(labels.ids, rule.label_weights)},
                                context.tape);
  }
  const double share = 1 / static_cast<double>(sizes.labels);
  const ops::BinaryLoss found = ops::binary_cross_entropy(
      logits(input, context), std::make_shared<const data::Labels>(labels),
      {.weight = rule.weight * share, .positive_weights = rule.label_weights, .row_weights = {}},
      context.tape);
  const double sum = std::accumulate(found.losses.begin(), found.losses.end(), 0.0) * share;
  return {.value = found.value, .smoothed = sum, .nll = sum};
}

}  // namespace weft::models
