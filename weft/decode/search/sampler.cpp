#include "weft/decode/search/sampler.h"

#include <algorithm>
#include <cmath>

#include "weft/core/random.h"

namespace weft::decode {

bool RowSampler::is_before(const Weighted& a, const Weighted& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.column < b.column;
}

double RowSampler::sum() const {
  double sum = 0;
  for (const Weighted& t : tokens_) sum += t.weight;
  return sum;
}

void RowSampler::keep(const BestTokens& best) {
  const size_t count = std::min(static_cast<size_t>(best.k), tokens_.size());
  std::partial_sort(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(count),
                    tokens_.end(), is_before);
  tokens_.resize(count);
}

void RowSampler::keep(const Nucleus& nucleus) {
  std::sort(tokens_.begin(), tokens_.end(), is_before);
  const double wanted = nucleus.p * sum();
  double mass = 0;
  size_t count = 0;
  while (count < tokens_.size() && (count == 0 || mass < wanted)) mass += tokens_[count++].weight;
  tokens_.resize(count);
}

int64_t RowSampler::draw(std::span<const float> logits, const Sampling& sampling, uint64_t stream,
                         std::span<ScoredColumn> out) {
  const float top = *std::ranges::max_element(logits);
  if (!std::isfinite(top)) return 0;
  tokens_.clear();
  for (size_t v = 0; v < logits.size(); ++v) {
    if (!std::isfinite(logits[v])) continue;  // forbidden
    tokens_.push_back({logits[v], static_cast<int32_t>(v),
                       std::exp(double{logits[v] - top} / sampling.temperature)});
  }
  std::visit([&](const auto& which) { keep(which); }, sampling.from);
  const double mass = sum();
  RandomStream random(sampling.seed, stream);
  for (ScoredColumn& drawn : out) {
    double left = random.uniform() * mass;
    const auto found = std::ranges::find_if(tokens_, [&](const Weighted& t) {
      left -= t.weight;
      return left < 0;
    });
    const Weighted& t = found == tokens_.end() ? tokens_.back() : *found;  // rounding
    drawn = {t.logit, t.column};
  }
  return std::ssize(out);
}

}  // namespace weft::decode
