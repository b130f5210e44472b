// How well a search finds the one right document of each query.
#ifndef WEFT_METRICS_RETRIEVAL_H_
#define WEFT_METRICS_RETRIEVAL_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace weft::metrics {

struct RetrievalScores {
  double accuracy = 0;         // share of queries whose document is found first
  double reciprocal_rank = 0;  // mean of 1 / rank (MRR)
  double gain = 0;             // nDCG@10: mean of 1 / log2(rank + 1), 0 beyond rank 10

  // "accuracy", "mrr" or "ndcg"; throws OptionError for another name.
  double value(std::string_view metric) const;
};

// Of the rank of each query's document, from 1. Zeros of no queries. Throws ShapeError for a rank
// below 1.
RetrievalScores retrieval_scores(std::span<const int64_t> ranks);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_RETRIEVAL_H_
