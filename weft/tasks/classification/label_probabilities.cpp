#include "weft/tasks/classification/label_probabilities.h"

#include <algorithm>
#include <cmath>

#include "weft/data/batcher.h"
#include "weft/metrics/threshold.h"

namespace weft::tasks {
namespace {

constexpr data::BatchLimits kLimits{.rows = 4096, .examples = 256};

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

}  // namespace

data::TokenRule token_rule(const models::ClassifierOptions& options, int64_t max_length) {
  return {.max_length = max_length, .with_begin = options.with_begin()};
}

LabelScores logits_of(const models::Classifier& model, const data::Tokens& tokens) {
  nn::Context context;
  const Tensor logits = model.logits(tokens, 0, context).to(DType::kF32);  // [B, C]
  LabelScores out{{}, logits.cols()};
  for (int64_t b = 0; b < logits.rows(); ++b) {
    const float* row = logits.row_range(b, b + 1).data<float>();
    out.values.insert(out.values.end(), row, row + out.labels);
  }
  return out;
}

LabelScores logits_of(const models::Classifier& model, const data::LabelledCorpus& corpus) {
  LabelScores out{{}, model.sizes.labels};
  out.values.resize(static_cast<size_t>(corpus.size() * out.labels));
  const data::BatchPlan plan = data::evaluation_plan(corpus, kLimits);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const data::Batch batch = corpus.batch(plan[i]);
    const LabelScores part = logits_of(model, batch.tokens(0));
    for (int64_t b = 0; b < batch.size(); ++b) {
      std::ranges::copy(part[b], out[batch.examples[static_cast<size_t>(b)]].begin());
    }
  }
  return out;
}

LabelScores probabilities_of(LabelScores logits, bool is_one_label, double temperature) {
  for (int64_t text = 0; text < logits.texts(); ++text) {
    is_one_label ? softmax(logits[text], temperature) : sigmoid(logits[text], temperature);
  }
  return logits;
}

std::vector<int32_t> choose_labels(std::span<const float> probabilities,
                                   const models::ClassifierOptions& options, double threshold) {
  if (options.has_one_label()) {
    const auto best = std::ranges::max_element(probabilities) - probabilities.begin();
    return {static_cast<int32_t>(best)};
  }
  const bool at_least_one = options.labels.get<models::SeveralLabels>().at_least_one;
  return metrics::labels_over(probabilities, {.value = threshold, .at_least_one = at_least_one});
}

}  // namespace weft::tasks
