#include "weft/decode/search/sampler.h"

#include <algorithm>
#include <concepts>

namespace weft::decode {
namespace {

// A link that is random itself, before the draw.
template <class Link>
constexpr bool draws = std::invocable<Link, Candidates&, RandomStream&>;

}  // namespace

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

void SamplingOptions::validate() const {
  if (const auto* all = kind.get_if<FromAllTokens>()) std::get<Xtc>(all->filters).validate();
}

void RowSampler::apply(const SamplingChain& chain, std::span<const float> logits,
                       RandomStream& random) {
  candidates_.reset(logits);
  for (const SamplingLink& link : chain) {
    std::visit(
        [&](const auto& apply) {
          if constexpr (draws<decltype(apply)>) {
            apply(candidates_, random);
          } else {
            apply(candidates_);
          }
        },
        link);
  }
}

int64_t RowSampler::draw(std::span<const float> logits, const Sampling& sampling, uint64_t stream,
                         std::span<ScoredColumn> out) {
  if (!candidates_.reset(logits)) return 0;
  const bool is_random = std::ranges::any_of(sampling.chain, [](const SamplingLink& link) {
    return std::visit([](const auto& which) { return draws<decltype(which)>; }, link);
  });
  RandomStream random(sampling.seed, stream);
  double mass = 0;
  for (ScoredColumn& drawn : out) {
    if (is_random || &drawn == out.data()) {
      apply(sampling.chain, logits, random);
      mass = candidates_.weigh();
    }
    double left = random.uniform() * mass;
    const std::span<const Candidates::Token> tokens = candidates_.tokens();
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
