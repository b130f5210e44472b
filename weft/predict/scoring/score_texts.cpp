#include "weft/predict/scoring/score_texts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::predict {
namespace {

// Logits that exist at a time.
constexpr int64_t kMostLogits = int64_t{1} << 23;

// -log p of the targets [n] by the states [n, D].
std::vector<double> losses_of(const models::LanguageModel& model, const Tensor& states,
                              std::span<const int32_t> targets) {
  std::vector<double> nll(targets.size()), loss(targets.size());
  const int64_t most = std::max<int64_t>(kMostLogits / model.dims.vocab, 1);
  for (int64_t begin = 0; begin < states.rows(); begin += most) {
    const int64_t end = std::min(begin + most, states.rows());
    const Tensor logits = model.decoder.logits(states.row_range(begin, end), {});  // [n, V]
    backend_of(logits)(kernels::SoftmaxLoss{.x = logits,
                                            .targets = targets.data() + begin,
                                            .smoothing = 0,
                                            .weight = 0,
                                            .loss = loss.data() + begin,
                                            .nll = nll.data() + begin});
  }
  return nll;
}

// One pass.
void add_scores(const models::LanguageModel& model, std::span<const ScoringRequest> texts,
                std::vector<TextScore>& out) {
  data::Tokens inputs;
  std::vector<int32_t> rows, targets;  // that are scored
  for (const ScoringRequest& text : texts) {
    const auto before = static_cast<int32_t>(inputs.rows());
    const auto count = std::ssize(text.ids);
    inputs.add(std::span(text.ids).first(static_cast<size_t>(count - 1)));
    for (int64_t i = text.first; i < count; ++i) {
      rows.push_back(before + static_cast<int32_t>(i) - 1);
      targets.push_back(text.ids[i]);
    }
  }
  const Tensor states = model.states(inputs, {});
  const std::vector<double> nll = losses_of(
      model, ops::select_rows(states, ops::make_selection(rows, states.rows()), nullptr), targets);
  size_t next = 0;
  for (const ScoringRequest& text : texts) {
    TextScore score{.tokens = std::ssize(text.ids) - text.first, .bytes = text.bytes};
    for (int64_t i = 0; i < score.tokens; ++i) score.log_probability -= nll[next++];
    if (!std::isfinite(score.log_probability)) {
      score.log_probability = std::numeric_limits<double>::quiet_NaN();
    }
    out.push_back(score);
  }
}

}  // namespace

void add_texts(std::vector<ScoringRequest> texts, const std::optional<Fault>& fault, size_t input,
               Prepared<ScoringRequest>& out, Report& report) {
  if (fault) return out.add_fault(input, *fault, report);
  for (ScoringRequest& text : texts) {
    report.input_tokens += std::ssize(text.ids);
    out.add(input, std::move(text));
  }
}

std::vector<TextScore> score_texts(const models::LanguageModel& model,
                                   std::span<const ScoringRequest> texts, int64_t rows) {
  std::vector<TextScore> out;
  for (size_t begin = 0, end = 0; begin < texts.size(); begin = end) {
    int64_t taken = 0;
    do {
      taken += std::ssize(texts[end++].ids);
    } while (end < texts.size() && taken + std::ssize(texts[end].ids) <= rows);
    add_scores(model, texts.subspan(begin, end - begin), out);
  }
  return out;
}

}  // namespace weft::predict

namespace weft {

TextScore operator+(const TextScore& a, const TextScore& b) {
  return {a.log_probability + b.log_probability, a.tokens + b.tokens, a.bytes + b.bytes};
}

double TextScore::perplexity() const {
  return std::exp(-log_probability / static_cast<double>(tokens));
}

double TextScore::bits_per_byte() const {
  return -log_probability / std::numbers::ln2 / static_cast<double>(bytes);
}

}  // namespace weft
