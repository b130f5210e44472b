#include "weft/predict/scoring/model_comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/core/error.h"
#include "weft/predict/scoring/token_texts.h"

namespace weft::predict {
namespace {

using model_file::LanguageModelSession;

constexpr int64_t kRowsOfLogits = 32;  // that exist at a time

// Log-probabilities of logits.
std::vector<double> log_softmax(std::span<const float> logits) {
  const double most = std::ranges::max(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - most);
  std::vector<double> out;
  out.reserve(logits.size());
  for (const float x : logits) out.push_back(x - most - std::log(sum));
  return out;
}

class ModelComparer {
 public:
  ModelComparer(const LanguageModelSession& first, const LanguageModelSession& second)
      : first_(first), second_(second) {}

  void add(const std::string& text) {
    std::vector<int32_t> ids = tokens_of_text(first_, text);
    if (ids != tokens_of_text(second_, text)) {
      fail<OptionError>("--check", "both models read {} as different tokens", quote(text));
    }
    const int64_t most = std::min(first_.model.options.context(), second_.model.options.context());
    ids.resize(static_cast<size_t>(std::min(most, std::ssize(ids))));
    data::Tokens tokens;
    tokens.add(ids);
    const Tensor x = first_.model.states(tokens, {}), y = second_.model.states(tokens, {});
    for (int64_t begin = 0; begin < x.rows(); begin += kRowsOfLogits) {
      const int64_t end = std::min(begin + kRowsOfLogits, x.rows());
      const Tensor logits = first_.model.decoder.logits(x.row_range(begin, end), {});
      const Tensor others = second_.model.decoder.logits(y.row_range(begin, end), {});
      for (int64_t i = begin; i < end; ++i) {
        const bool is_last = i + 1 == std::ssize(ids);
        add_row(row(logits, i - begin), row(others, i - begin),
                is_last ? -1 : ids[static_cast<size_t>(i) + 1]);
      }
    }
  }

  ModelComparison result() const {
    ModelComparison out = sums_;
    if (largest_logit_ > 0) out.largest /= largest_logit_;
    if (out.tokens > 0) out.divergence /= static_cast<double>(out.tokens);
    return out;
  }

 private:
  // Those of tokens that both models have: the table of one may be padded.
  std::span<const float> row(const Tensor& logits, int64_t i) const {
    const int64_t V = std::min(first_.model.dims.vocab, second_.model.dims.vocab);
    return {logits.data<float>() + i * logits.cols(), static_cast<size_t>(V)};
  }

  // `next` is the token that follows in the text; -1: none.
  void add_row(std::span<const float> x, std::span<const float> y, int32_t next) {
    const std::vector<double> p = log_softmax(x), q = log_softmax(y);
    for (size_t v = 0; v < x.size(); ++v) {
      const double difference = std::abs(double{x[v]} - double{y[v]});
      if (!(difference <= sums_.largest)) sums_.largest = difference;  // NaN too
      largest_logit_ = std::max(largest_logit_, std::abs(double{x[v]}));
      if (p[v] != q[v]) sums_.divergence += std::exp(p[v]) * (p[v] - q[v]);
    }
    ++sums_.tokens;
    if (std::ranges::max_element(x) - x.begin() == std::ranges::max_element(y) - y.begin()) {
      ++sums_.same_best;
    }
    if (next < 0) return;
    const auto v = static_cast<size_t>(next);
    sums_.first = sums_.first + TextScore{.log_probability = p.at(v), .tokens = 1};
    sums_.second = sums_.second + TextScore{.log_probability = q.at(v), .tokens = 1};
  }

  const LanguageModelSession &first_, &second_;
  ModelComparison sums_;
  double largest_logit_ = 0;
};

}  // namespace

bool ModelComparison::is_finite() const {
  return std::isfinite(largest) && std::isfinite(divergence);
}

ModelComparison compare_models(const LanguageModelSession& first,
                               const LanguageModelSession& second,
                               std::span<const std::string> texts) {
  ModelComparer comparer(first, second);
  for (const std::string& text : texts) comparer.add(text);
  return comparer.result();
}

}  // namespace weft::predict
