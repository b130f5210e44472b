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
      {.help = "negatives of a pair, the nearest first; a pair with fewer is left out",
       .min = 1,
       .max = 1000});
    v("skip", skip,
      {.help = "so many of the nearest are passed over, as they may belong to the first text "
               "without being known to",
       .min = 0,
       .max = 1e9});
    v("margin", margin,
      {.help = "the similarity of a negative is at most that of the pair less this share of its "
               "size (Moreira et al. 2024, arXiv 2407.15831); auto: no bound",
       .min = 0,
       .max = 2});
  }
};

// A query and what belongs to it in a collection.
struct NegativeQuery {
  std::span<const float> vector;      // [E]
  int64_t positive = 0;               // the row that negatives are compared with
  std::span<const int64_t> excluded;  // other rows that are no negatives, in rising order
};

// Rows of the collection for each query, the nearest first: as many as asked for, or none where
// there are fewer, or where a vector is not finite. `excluded` may have the positive, too.
std::vector<std::vector<int64_t>> hard_negatives(const NearestVectors& collection,
                                                 std::span<const NegativeQuery> queries,
                                                 const NegativeOptions& options);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_EMBEDDING_NEGATIVES_H_
