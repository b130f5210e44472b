// Hard negatives: texts that are near to another and do not belong to it.
#ifndef WEFT_PREDICT_EMBEDDING_NEGATIVES_H_
#define WEFT_PREDICT_EMBEDDING_NEGATIVES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/options/fields.h"
#include "weft/predict/embedding/nearest.h"

namespace weft::predict {

struct NegativeOptions {
  int64_t negatives = 1;
  int64_t skip = 0;
  std::optional<double> margin = 0.05;

  template <class V>
  void fields(V& v) {
    v("negatives", negatives,
      {.help = "number of negatives of each pair, the nearest first; pairs with fewer are left out",
       .min = 1,
       .max = 1000});
    v("skip", skip,
      {.help = "number of nearest candidates to skip: they may be right answers that no line has",
       .min = 0,
       .max = 1e9});
    v("margin", margin,
      {.help = "the similarity of a negative is at most that of the pair less this share of its "
               "size (Moreira et al. 2024, arXiv 2407.15831); auto: no bound",
       .min = 0,
       .max = 2});
  }
};

// A query and the rows of a collection that belong to it.
struct NegativeQuery {
  std::span<const float> vector;      // [E]
  int64_t positive = 0;               // negatives are less similar than this row
  std::span<const int64_t> excluded;  // rows that are no negatives, in rising order
};

// Returns the rows of each query's negatives, the nearest first. A query has `options.negatives` of
// them, or none if there are fewer or if a vector is not finite.
std::vector<std::vector<int64_t>> hard_negatives(const NearestVectors& collection,
                                                 std::span<const NegativeQuery> queries,
                                                 const NegativeOptions& options);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_EMBEDDING_NEGATIVES_H_
