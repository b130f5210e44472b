#include "weft/metrics/retrieval.h"

#include <cmath>

#include "weft/core/error.h"

namespace weft::metrics {

double RetrievalScores::value(std::string_view metric) const {
  if (metric == "accuracy") return accuracy;
  if (metric == "mrr") return reciprocal_rank;
  if (metric == "ndcg") return gain;
  fail<OptionError>("metric", "expected accuracy, mrr or ndcg, got {}", quote(metric));
}

RetrievalScores retrieval_scores(std::span<const int64_t> ranks) {
  constexpr int64_t kLastWithGain = 10;
  RetrievalScores out;
  if (ranks.empty()) return out;
  for (const int64_t rank : ranks) {
    if (rank < 1) fail<ShapeError>("retrieval", "rank {}; expected 1 or more", rank);
    const auto r = static_cast<double>(rank);
    out.accuracy += rank == 1 ? 1 : 0;
    out.reciprocal_rank += 1 / r;
    out.gain += rank <= kLastWithGain ? 1 / std::log2(r + 1) : 0;
  }
  const auto queries = static_cast<double>(ranks.size());
  out.accuracy /= queries;
  out.reciprocal_rank /= queries;
  out.gain /= queries;
  return out;
}

}  // namespace weft::metrics
