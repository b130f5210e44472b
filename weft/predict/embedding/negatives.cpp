#include "weft/predict/embedding/negatives.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

// The highest score that a negative may have.
double highest_score(double positive, const std::optional<double>& margin) {
  return margin ? positive - *margin * std::abs(positive) : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<std::vector<int64_t>> hard_negatives(const NearestVectors& collection,
                                                 std::span<const NegativeQuery> queries,
                                                 const NegativeOptions& options) {
  std::vector<std::vector<int64_t>> out(queries.size());
  std::vector<size_t> numbers;  // of queries with finite vectors
  std::vector<std::span<const float>> vectors;
  std::vector<double> highest;
  for (size_t i = 0; i < queries.size(); ++i) {
    if (!is_finite(queries[i].vector)) continue;
    const double positive = collection.score(queries[i].vector, queries[i].positive);
    if (std::isnan(positive)) continue;
    numbers.push_back(i);
    vectors.push_back(queries[i].vector);
    highest.push_back(highest_score(positive, options.margin));
  }
  std::vector<int64_t> too_near(numbers.size());  // which --skip passes over first
  const auto may_be_negative = [&](size_t k, const Neighbour& one) {
    const NegativeQuery& query = queries[numbers[k]];
    if (one.row == query.positive) return false;
    if (std::ranges::binary_search(query.excluded, one.row)) return false;
    if (one.score <= highest[k]) return true;
    ++too_near[k];
    return false;
  };
  const auto nearest = collection.find(vectors, options.skip + options.negatives, may_be_negative);
  for (size_t k = 0; k < numbers.size(); ++k) {
    const int64_t skipped = std::max<int64_t>(0, options.skip - too_near[k]);
    if (std::ssize(nearest[k]) < skipped + options.negatives) continue;
    for (int64_t n = skipped; n < skipped + options.negatives; ++n) {
      out[numbers[k]].push_back(nearest[k][static_cast<size_t>(n)].row);
    }
  }
  return out;
}

}  // namespace weft::predict
