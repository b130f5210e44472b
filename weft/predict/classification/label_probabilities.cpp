#include "weft/predict/classification/label_probabilities.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/data/batcher.h"
#include "weft/decode/decoder_steps.h"
#include "weft/decode/options.h"
#include "weft/decode/search/search.h"
#include "weft/metrics/threshold.h"
#include "weft/model_file/classifier.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

constexpr data::BatchLimits kLimits{.rows = 4096, .examples = 256};
constexpr int64_t kBeam = 4;  // of sequences of labels
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kAnyLengthFactor = 1000;  // a short text may have many labels

void softmax(std::span<float> x, double temperature) {
  const double highest = *std::ranges::max_element(x) / temperature;
  double sum = 0;
  for (const float value : x) sum += std::exp(value / temperature - highest);
  for (float& value : x) {
    value = static_cast<float>(std::exp(value / temperature - highest) / sum);
  }
}

void sigmoid(std::span<float> x, double temperature) {
  for (float& value : x) value = static_cast<float>(1 / (1 + std::exp(-value / temperature)));
}

// The decoder of sequences of labels.
decode::DecoderSteps decoder_steps(const models::Classifier& model) {
  const auto& text = std::get<models::TextEncoder>(model.encoder);
  const models::EncoderOptions& o = model.options.encoder;
  decode::ModelTraits traits{.source_vocabulary = text.dims.vocab,
                             .target_vocabulary = model.dims.labels + 2,
                             .source_capacity = model.options.table_capacity(),
                             .begin_id = model.sequence_begin(),
                             .end_id = model.sequence_end(),
                             .has_attention = true};
  if (o.is_transformer()) traits.target_capacity = o.table_capacity();
  return {model.decoder, traits, [&text](const data::Tokens& tokens) { return text(tokens, {}); }};
}

// No label occurs twice in a sequence.
LabelScores found_sequences(const models::Classifier& model, const data::Tokens& tokens) {
  const bool at_least_one = model.options.labels.get<models::LabelSequence>().at_least_one;
  const decode::DecodeOptions options{.beam_size = kBeam,
                                      .normalize = 0,
                                      .min_length = at_least_one ? 1 : 0,
                                      .no_repeat_ngram_size = 1,
                                      .max_length_factor = kAnyLengthFactor,
                                      .max_output_length = model.dims.labels + 1};
  decode::DecoderSteps steps = decoder_steps(model);
  std::vector<decode::Request> requests;
  for (int64_t b = 0; b < tokens.examples(); ++b) {
    requests.push_back({.source = {tokens[b].begin(), tokens[b].end()}});
    decode::apply_options(options, steps.traits(), requests.back());
  }
  LabelScores out{{}, model.dims.labels};
  out.values.resize(static_cast<size_t>(tokens.examples() * out.labels));
  const std::vector<decode::NBest> all =
      decode::search(steps, std::move(requests), {.slots = tokens.examples()});
  for (size_t b = 0; b < all.size(); ++b) {
    const decode::Hypothesis& best = all[b].front();
    const std::span<float> row = out[static_cast<int64_t>(b)];
    if (!best.is_finite) std::ranges::fill(row, kNaN);
    for (size_t i = 0; i < best.tokens.size(); ++i) {
      const double p = std::exp(best.token_scores[i]);
      row[best.tokens[i]] =
          static_cast<float>(std::max<double>(p, std::numeric_limits<float>::min()));
    }
  }
  return out;
}

}  // namespace

data::TokenOptions token_params(const models::ClassifierOptions& options, int64_t max_length) {
  return {.max_length = max_length, .with_begin = options.with_begin()};
}

data::Field model_input(const model_file::ClassifierSession& session, const data::Field& field) {
  const models::InputKinds& input = session.model.options.input;
  if (input.is<models::FeatureInput>()) {
    return data::normalised(std::get<data::Features>(field), session.statistics);
  }
  if (const auto* image = input.get_if<models::ImageInput>()) {
    return data::patches_of(std::get<data::Features>(field), {.shape = session.model.dims.image,
                                                              .patch = image->vector_side(),
                                                              .statistics = session.statistics});
  }
  return field;
}

data::FeatureColumns feature_params(const models::ClassifierOptions& options, int64_t channels) {
  const int64_t capacity = options.encoder.table_capacity() - (options.with_begin() ? 1 : 0);
  return {
      .width = channels,
      .max_rows = std::max<int64_t>(capacity, 1),
      .missing = data::missing_numbers_named(options.input.get<models::FeatureInput>().missing)};
}

LabelScores scores_of(const models::Classifier& model, const data::Field& input) {
  if (model.options.is_sequence()) return found_sequences(model, std::get<data::Tokens>(input));
  nn::Context context;
  const Tensor logits = model.logits(input, context).to(DType::kF32);  // [B, C]
  LabelScores out{{}, logits.cols()};
  for (int64_t b = 0; b < logits.rows(); ++b) {
    const float* row = logits.row_range(b, b + 1).data<float>();
    out.values.insert(out.values.end(), row, row + out.labels);
  }
  return out;
}

LabelScores scores_of(const model_file::ClassifierSession& session,
                      const data::LabelledDataset& examples) {
  LabelScores out{{}, session.model.dims.labels};
  out.values.resize(static_cast<size_t>(examples.size() * out.labels));
  const data::BatchPlan plan = data::evaluation_plan(examples, kLimits);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const data::Batch batch = examples.batch(plan[i]);
    const LabelScores part = scores_of(session.model, model_input(session, batch.fields[0]));
    for (int64_t b = 0; b < batch.size(); ++b) {
      std::ranges::copy(part[b], out[batch.examples[static_cast<size_t>(b)]].begin());
    }
  }
  return out;
}

LabelScores probabilities_of(LabelScores scores, const models::ClassifierOptions& options,
                             double temperature) {
  if (options.is_sequence()) return scores;
  for (int64_t text = 0; text < scores.texts(); ++text) {
    if (!is_finite(scores[text])) std::ranges::fill(scores[text], kNaN);
    options.has_one_label() ? softmax(scores[text], temperature)
                            : sigmoid(scores[text], temperature);
  }
  return scores;
}

std::vector<int32_t> choose_labels(std::span<const float> probabilities,
                                   const models::ClassifierOptions& options, double threshold) {
  if (options.has_one_label()) {
    const auto best = std::ranges::max_element(probabilities) - probabilities.begin();
    return {static_cast<int32_t>(best)};
  }
  if (options.is_sequence()) {
    return metrics::labels_above(probabilities, {.value = std::numeric_limits<float>::min()});
  }
  const bool at_least_one = options.labels.get<models::SeveralLabels>().at_least_one;
  return metrics::labels_above(probabilities, {.value = threshold, .at_least_one = at_least_one});
}

}  // namespace weft::predict
