#include "weft/decode/search/sampler.h"

#include <algorithm>

namespace weft::decode {

SamplingChain SamplingOptions::chain() const {
  if (const auto* best = kind.get_if<FromTopK>()) return {temperature, TopK{best->tokens}};
  if (const auto* nucleus = kind.get_if<FromTopP>()) return {temperature, TopP{nucleus->mass}};
  SamplingChain out;
  const auto add = [&](const auto& link) {
    if (link.is_on()) out.emplace_back(link);
  };
  if (const auto* all = kind.get_if<FromAllTokens>()) {
    std::apply([&](const auto&... filter) { (add(filter), ...); }, all->filters);
  }
  add(temperature);
  return out;
}

int64_t RowSampler::draw(std::span<const float> logits, const Sampling& sampling, uint64_t stream,
                         std::span<ScoredColumn> out) {
  if (!candidates_.reset(logits)) return 0;
  for (const SamplingLink& link : sampling.chain) {
    std::visit([&](const auto& apply) { apply(candidates_); }, link);
  }
  const double mass = candidates_.weigh();
  const std::span<const Candidates::Token> tokens = candidates_.tokens();
  RandomStream random(sampling.seed, stream);
  for (ScoredColumn& drawn : out) {
    double left = random.uniform() * mass;
    const auto found = std::ranges::find_if(tokens, [&](const Candidates::Token& t) {
      left -= t.weight;
      return left < 0;
    });
    const Candidates::Token& t = found == tokens.end() ? tokens.back() : *found;  // rounding
    drawn = {t.logit, t.column};
  }
  return std::ssize(out);
}

}  // namespace weft::decode
