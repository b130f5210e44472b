// The vectors of a collection that are nearest to others.
#ifndef WEFT_PREDICT_EMBEDDING_NEAREST_H_
#define WEFT_PREDICT_EMBEDDING_NEAREST_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/embed.h"

namespace weft::predict {

class NearestVectors {
 public:
  // `values` [n, E]; a row with a number that is not finite is never found. `similarity` is one of
  // model_file::kSimilarities; distances are negative.
  NearestVectors(std::vector<float> values, int64_t width, std::string_view similarity);

  // The `most` rows with the highest score, the first of equals first, for each query [E]. A
  // query's neighbours do not depend on other queries.
  std::vector<std::vector<Neighbour>> find(std::span<const std::vector<float>> queries,
                                           int64_t most) const;
  int64_t rows() const { return std::ssize(is_finite_); }
  int64_t width() const { return width_; }

 private:
  std::vector<Neighbour> nearest(std::span<const float> query, int64_t most) const;

  int64_t width_;
  std::string similarity_;
  std::vector<float> values_;  // of cosines, with length one
  std::vector<bool> is_finite_;
};

// From an array or CSV of vectors (data::read_features), of which each has `width` numbers. Throws
// FileError, FormatError.
NearestVectors read_vectors(const std::string& path, int64_t width, std::string_view similarity);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_EMBEDDING_NEAREST_H_
