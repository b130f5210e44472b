#include "weft/decode/sampler.h"

#include <algorithm>
#include <cmath>

#include "weft/core/parallel.h"

namespace weft::decode {
namespace {

struct Weighted {
  float logit;
  int32_t column;
  double weight;  // e^((logit - top) / temperature)
};

bool is_before(const Weighted& a, const Weighted& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.column < b.column;
}

double sum_of(std::span<const Weighted> tokens) {
  double sum = 0;
  for (const Weighted& t : tokens) sum += t.weight;
  return sum;
}

void keep(const AllTokens&, std::vector<Weighted>&) {}

void keep(const BestTokens& best, std::vector<Weighted>& tokens) {
  const size_t count = std::min(static_cast<size_t>(best.k), tokens.size());
  std::partial_sort(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count),
                    tokens.end(), is_before);
  tokens.resize(count);
}

void keep(const Nucleus& nucleus, std::vector<Weighted>& tokens) {
  std::sort(tokens.begin(), tokens.end(), is_before);
  const double wanted = nucleus.p * sum_of(tokens);
  double sum = 0;
  size_t count = 0;
  while (count < tokens.size() && (count == 0 || sum < wanted)) sum += tokens[count++].weight;
  tokens.resize(count);
}

const Weighted& draw(std::span<const Weighted> tokens, double sum, RandomStream& random) {
  double left = random.uniform() * sum;
  for (const Weighted& t : tokens) {
    left -= t.weight;
    if (left < 0) return t;
  }
  return tokens.back();  // rounding
}

}  // namespace

void Sampler::find(const Tensor& logits, std::span<const Draws> draws, const Adjust& adjust,
                   Columns columns) {
  int64_t most = 0;
  for (const Draws& d : draws) most = std::max(most, d.count);
  begin(logits, columns, most, adjust);
  parallel_for(logits.rows(), 1, [&](int64_t from, int64_t to) {
    std::vector<Weighted> tokens;
    for (int64_t w = from; w < to; ++w) {
      const std::span row(logits_of(w), static_cast<size_t>(logits.cols()));
      const float top = *std::ranges::max_element(row);
      tokens.clear();
      for (size_t v = 0; v < row.size() && std::isfinite(top); ++v) {
        if (!std::isfinite(row[v])) continue;  // forbidden
        tokens.push_back({row[v], static_cast<int32_t>(v),
                          std::exp(double{row[v] - top} / sampling_.temperature)});
      }
      std::visit([&](const auto& which) { keep(which, tokens); }, sampling_.from);
      const double sum = sum_of(tokens);
      RandomStream random(sampling_.seed, draws[w].stream);
      set_count(w, tokens.empty() ? 0 : draws[w].count);
      for (int64_t i = 0; i < draws[w].count && !tokens.empty(); ++i) {
        const Weighted& t = draw(tokens, sum, random);
        set(w, i, t.logit, t.column);
      }
    }
  });
}

}  // namespace weft::decode
