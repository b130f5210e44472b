#include "weft/models/tag_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/core/error.h"
#include "weft/data/labels/bio.h"
#include "weft/ops/softmax.h"

namespace weft::models {
namespace {

Tensor as_float(const Tensor& x) { return x.dtype() == DType::kF32 ? x : x.to(DType::kF32); }

// The probability of one of a row of scores.
double probability(std::span<const float> scores, size_t label) {
  const float most = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float score : scores) sum += std::exp(static_cast<double>(score) - most);
  return std::exp(static_cast<double>(scores[label]) - most) / sum;
}

std::span<const float> row_of(const Tensor& x, int64_t row) {
  return {x.data<float>() + row * x.stride(), static_cast<size_t>(x.cols())};
}

PredictedLabels best_by_row(const Tensor& emissions, bool with_probabilities) {
  const Tensor x = as_float(emissions);
  PredictedLabels out;
  for (int64_t n = 0; n < x.rows(); ++n) {
    const std::span<const float> scores = row_of(x, n);
    const auto best = static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
    out.labels.push_back(static_cast<int32_t>(best));
    if (with_probabilities) {
      out.probabilities.push_back(static_cast<float>(probability(scores, best)));
    }
  }
  return out;
}

// The mean of tensors of one shape, in double.
Tensor mean_of(std::span<const Tensor> all) {
  Tensor out = Tensor::empty(all.front().shape());
  std::vector<double> sums(static_cast<size_t>(out.size()));
  for (const Tensor& one : all) {
    check_shape("mean_scores", "scores", one, out.rows(), out.cols());
    const Tensor dense = as_float(one).clone();
    const auto x = dense.span<float>();
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += double{x[i]};
  }
  const auto y = out.span<float>();
  for (size_t i = 0; i < sums.size(); ++i) {
    y[i] = static_cast<float>(sums[i] / static_cast<double>(all.size()));
  }
  return out;
}

}  // namespace

std::vector<LabelColumn> label_columns(const TaggerOptions& options,
                                       const std::vector<std::vector<std::string>>& labels,
                                       size_t of_words) {
  std::vector<LabelColumn> out;
  for (size_t c = 0; c < labels.size(); ++c) {
    LabelColumn column{.labels = std::ssize(labels[c]), .is_of_text = c >= of_words};
    const bool is_bio = data::is_scheme(labels[c], data::TagScheme::kBio);
    const bool marks_spans = is_bio || data::is_scheme(labels[c], data::TagScheme::kIobes);
    if (!column.is_of_text) {
      column.has_crf = options.crf.is<CrfOfAll>() || (options.crf.is<CrfOfSpans>() && marks_spans);
    }
    if (column.has_crf && marks_spans) {
      column.allowed = std::make_shared<const data::AllowedTags>(
          data::allowed_tags(labels[c], is_bio ? data::TagScheme::kBio : data::TagScheme::kIobes));
    }
    out.push_back(std::move(column));
  }
  return out;
}

bool is_finite(const TagScores& scores, std::span<const LabelColumn> columns, int64_t text) {
  const auto is_number = [](const Tensor& x) {
    return !x || std::isfinite(sum_of_squares(as_float(x)));
  };
  const Segments& words = scores.words->segments;
  for (size_t c = 0; c < columns.size(); ++c) {
    const ColumnScores& column = scores.columns[c];
    const bool is_of_text = columns[c].is_of_text;
    const Tensor own = column.emissions.row_range(is_of_text ? text : words.begin(text),
                                                  is_of_text ? text + 1 : words.end(text));
    if (!is_number(own) || !is_number(column.transitions)) return false;
    if (!is_number(column.start) || !is_number(column.end)) return false;
  }
  return true;
}

ops::Loss crf_loss(const ColumnScores& scores, const ops::CrfTargets& targets,
                   const ops::CrfParams& params, autograd::Tape* tape) {
  const ops::CrfLoss found = ops::crf(
      scores.emissions, {scores.transitions, scores.start, scores.end}, targets, params, tape);
  ops::Loss out{.value = found.value};
  out.nll = out.total = std::accumulate(found.losses.begin(), found.losses.end(), 0.0);
  for (const int64_t b : found.impossible) out.left_out += targets.rows->segments.length(b);
  return out;
}

PredictedLabels best_labels(const ColumnScores& scores, const LabelColumn& column,
                            const ops::LayoutPtr& words, bool with_probabilities) {
  if (!column.has_crf) return best_by_row(scores.emissions, with_probabilities);
  const ops::CrfWeights weights{scores.transitions, scores.start, scores.end};
  PredictedLabels out{ops::crf_decode(scores.emissions, weights, words, column.allowed).labels, {}};
  if (!with_probabilities) return out;
  const Tensor marginals =
      as_float(ops::crf_marginals(scores.emissions, weights, words, column.allowed));
  for (int64_t n = 0; n < marginals.rows(); ++n) {
    const auto label = static_cast<size_t>(out.labels[static_cast<size_t>(n)]);
    out.probabilities.push_back(row_of(marginals, n)[label]);
  }
  return out;
}

TagScores mean_scores(std::span<const TagScores> all) {
  TagScores out{all.front().words, {}};
  for (size_t c = 0; c < all.front().columns.size(); ++c) {
    const bool has_crf = static_cast<bool>(all.front().columns[c].transitions);
    const auto mean = [&](Tensor ColumnScores::*part) {
      std::vector<Tensor> parts;
      for (const TagScores& one : all) {
        const Tensor& x = one.columns[c].*part;
        parts.push_back(has_crf ? x : ops::log_softmax(as_float(x), nullptr));
      }
      return mean_of(parts);
    };
    ColumnScores& scores = out.columns.emplace_back();
    scores.emissions = mean(&ColumnScores::emissions);
    if (!has_crf) continue;
    scores.transitions = mean(&ColumnScores::transitions);
    scores.start = mean(&ColumnScores::start);
    scores.end = mean(&ColumnScores::end);
  }
  return out;
}

}  // namespace weft::models
