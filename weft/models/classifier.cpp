#include "weft/models/classifier.h"

#include <numeric>

#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/losses/binary_cross_entropy.h"
#include "weft/ops/losses/regression.h"

namespace weft::models {
namespace {

// Of examples that are averages of two (mix-up).
struct MixedLabels {
  std::vector<float> shares, other_shares;  // of the one and the other, [B]; empty: not averaged
  std::vector<int32_t> others;              // [B]
};
MixedLabels mixed_labels(const data::Batch& batch) {
  if (batch.fields.size() < 3) return {};
  const auto& others = std::get<data::Labels>(batch.fields[2]);
  MixedLabels out{others.values, {}, others.ids};
  for (const float share : out.shares) out.other_shares.push_back(1 - share);
  return out;
}

}  // namespace

ops::RowWeights example_weights(const std::vector<int32_t>& labels, const ops::RowWeights& weights,
                                const std::vector<float>& shares) {
  if (weights == nullptr && shares.empty()) return nullptr;
  std::vector<float> out(labels.size(), 1);
  for (size_t b = 0; b < labels.size(); ++b) {
    if (weights != nullptr) out[b] = (*weights)[static_cast<size_t>(labels[b])];
    if (!shares.empty()) out[b] *= shares[b];
  }
  return std::make_shared<const std::vector<float>>(std::move(out));
}

Classifier::Classifier(const ClassifierOptions& o, const ClassifierDims& s) : options(o), dims(s) {
  o.check();
  s.check(o);
  nn::RngStreams dropouts;
  if (o.is_sequence()) {
    const int64_t depth = o.labels.get<LabelSequence>().dec_depth;
    encoder = TextEncoder(o.text_encoder(), s.text, dropouts, {.decoder_depth = depth});
    decoder = make_decoder(dropouts);
    return;
  }
  if (o.is_text()) {
    encoder = TextEncoder(o.text_encoder(), s.text, dropouts);
  } else {
    encoder = VectorEncoder(o.encoder, s.vectors(o), dropouts);
  }
  const int64_t width = std::visit([](const auto& e) { return e.width(); }, encoder);
  pooling = nn::make_pooling(o.pooling, width);
  head = nn::HeadLayer(o.head, width, o.encoder.transformer.norm);
  pooled_dropout = {o.classifier_dropout, dropouts.take()};
  output = nn::Linear(width, s.labels, true);
}

TokenDecoder Classifier::make_decoder(nn::RngStreams& dropouts) const {
  const EncoderOptions& o = options.encoder;
  TokenEmbeddingOptions labels{.vocab = dims.labels + 2,
                               .vocabulary = nn::Vocabulary::kNone,
                               .features = o.dim_emb,
                               .dropout = o.input_dropout()};
  if (o.is_transformer()) labels.position = make_position(o, true);
  TokenEmbedding embedding(labels, dropouts);
  DecoderOptions target;
  target.dec_depth = options.labels.get<LabelSequence>().dec_depth;
  if (o.is_transformer()) {
    nn::Stack stack = decoder_stack(
        o, {.depth = target.dec_depth, .cross_attention = nn::PriorKinds()}, dropouts);
    return {std::move(embedding), {std::move(stack)}, target};
  }
  nn::RecurrentDecoderOptions cells =
      recurrent_decoder(o, std::get<TextEncoder>(encoder).encoder, target.dec_depth);
  cells.attention = nn::SourceAttention::kBahdanau;
  return {std::move(embedding), {nn::RecurrentDecoder(cells, dropouts)}, target};
}

nn::Memory Classifier::encode(const data::Field& input, const nn::Context& context) const {
  if (const auto* text = std::get_if<TextEncoder>(&encoder)) {
    return (*text)(std::get<data::Tokens>(input), context);
  }
  return std::get<VectorEncoder>(encoder)(std::get<data::Features>(input), context);
}

Tensor Classifier::pooled(const nn::Memory& states, const nn::Context& context) const {
  return head(pooling(states.states, states.rows, context.tape), context);  // [B, C]
}

Tensor Classifier::dropped(const Tensor& vectors, int32_t first, const nn::Context& context) const {
  Segments examples = Segments::uniform(vectors.rows(), 1);
  examples.first = first;
  const ops::LayoutPtr rows = ops::make_layout(std::move(examples));
  return ops::dropout(vectors, context.dropout(pooled_dropout, rows), context.tape);
}

Tensor Classifier::features_of(const nn::Memory& states, const nn::Context& context) const {
  return dropped(pooled(states, context), states.rows->segments.first, context);
}

Tensor Classifier::features(const data::Field& input, const nn::Context& context) const {
  return features_of(encode(input, context), context);
}

Tensor Classifier::vectors(const data::Field& input, const nn::Context& context) const {
  return pooled(encode(input, context), context);
}

Tensor Classifier::logits(const data::Field& input, const nn::Context& context) const {
  return output(features(input, context), context.tape);
}

Tensor Classifier::logits(const Tensor& embeddings, const ops::LayoutPtr& rows,
                          const nn::Context& context) const {
  const nn::Memory states = std::get<TextEncoder>(encoder).encode(embeddings, rows, context);
  return output(features_of(states, context), context.tape);
}

ops::Loss Classifier::number_loss(const data::Batch& batch, const ClassifierLoss& params,
                                  const nn::Context& context) const {
  const auto& numbers = std::get<data::Labels>(batch.fields[1]);
  const Tensor x = logits(batch.fields[0], context);  // [B, numbers]
  const Tensor target = Tensor::from(numbers.values, x.shape());
  ops::Loss out = params.huber > 0
                      ? ops::huber_error(x, target, params.huber, params.weight, context.tape)
                      : ops::squared_error(x, target, params.weight, context.tape);
  out.nll = out.total;
  return out;
}

Classifier::LabelStates Classifier::label_states(const data::Field& input,
                                                 const data::Labels& labels,
                                                 const nn::Context& context) const {
  data::Tokens target;
  target.segments.first = labels.segments.first;
  for (int64_t b = 0; b < labels.examples(); ++b) target.add(labels[b], sequence_end());
  const nn::Memory memory = encode(input, context);
  const Tensor states = decoder.states(target, sequence_begin(), memory, context);
  return {std::move(target.ids), states};
}

ops::Loss Classifier::sequence_loss(const data::Batch& batch, const ClassifierLoss& params,
                                    const nn::Context& context) const {
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  const LabelStates found = label_states(batch.fields[0], labels, context);
  return ops::projection_loss(found.states, decoder.projection(), ops::make_ids(found.ids),
                              {.smoothing = params.smoothing, .weight = params.weight},
                              context.tape);
}

ops::Loss Classifier::loss(const data::Batch& batch, const ClassifierLoss& params,
                           const nn::Context& context) const {
  if (options.has_numbers()) return number_loss(batch, params, context);
  if (options.is_sequence()) return sequence_loss(batch, params, context);
  return loss_of_features(features(batch.fields[0], context), batch, params, context.tape);
}

ops::Loss Classifier::loss_of_features(const Tensor& x, const data::Batch& batch,
                                       const ClassifierLoss& params, ops::Tape* tape) const {
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  if (options.has_one_label()) {
    const auto loss_of = [&](const std::vector<int32_t>& ids, const std::vector<float>& shares) {
      return ops::projection_loss(
          x, {output.weight, output.bias}, ops::make_ids(ids),
          {.smoothing = params.smoothing,
           .weight = params.weight,
           .row_weights = example_weights(ids, params.label_weights, shares)},
          tape);
    };
    const MixedLabels mixed = mixed_labels(batch);
    ops::Loss out = loss_of(labels.ids, mixed.others.empty() ? labels.values : mixed.shares);
    if (mixed.others.empty()) return out;
    const ops::Loss other = loss_of(mixed.others, mixed.other_shares);
    out.value = ops::add(out.value, other.value, tape);
    out.total += other.total;
    out.nll = out.total;
    return out;
  }
  const double share = 1 / static_cast<double>(dims.labels);
  const ops::BinaryLoss found =
      ops::binary_cross_entropy(output(x, tape), std::make_shared<const data::Labels>(labels),
                                {.weight = params.weight * share,
                                 .positive_weights = params.label_weights,
                                 .row_weights = {}},
                                tape);
  const double sum = std::accumulate(found.losses.begin(), found.losses.end(), 0.0) * share;
  return {.value = found.value, .total = sum, .nll = sum};
}

}  // namespace weft::models
