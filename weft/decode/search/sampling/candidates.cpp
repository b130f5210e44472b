#include "weft/decode/search/sampling/candidates.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"

namespace weft::decode {

bool Candidates::reset(std::span<const float> logits) {
  tokens_.clear();
  top_ = *std::ranges::max_element(logits);
  if (!std::isfinite(top_)) return false;
  for (size_t v = 0; v < logits.size(); ++v) {
    if (!std::isfinite(logits[v])) continue;  // forbidden
    tokens_.push_back({logits[v], static_cast<int32_t>(v), 0});
  }
  set_temperature(1);
  return true;
}

void Candidates::set_temperature(double temperature) {
  temperature_ = temperature;
  is_weighed_ = false;
}

double Candidates::weigh() {
  double sum = 0;
  for (Token& t : tokens_) {
    if (!is_weighed_) t.weight = std::exp(double{t.logit - top_} / temperature_);
    sum += t.weight;
  }
  is_weighed_ = true;
  return sum;
}

void Candidates::keep_best(int64_t count) {
  const auto end = tokens_.begin() + std::min(count, std::ssize(tokens_));
  std::partial_sort(tokens_.begin(), end, tokens_.end(), [](const Token& a, const Token& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.column < b.column;
  });
  tokens_.erase(end, tokens_.end());
}

void check_link(std::string_view name, double value, double least, double most) {
  if (value >= least && value <= most) return;
  fail<OptionError>("request", "sampling.{} is {}; expected {} to {}", name, value, least, most);
}

}  // namespace weft::decode
