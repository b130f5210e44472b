// The vectors of a collection that are nearest to others.
#ifndef WEFT_PREDICT_EMBEDDING_NEAREST_H_
#define WEFT_PREDICT_EMBEDDING_NEAREST_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/embed.h"
#include "weft/tensor/packed_weight.h"

namespace weft::predict {

class NearestVectors {
 public:
  // `values` [n, E]; a row with a number that is not finite is never found. `similarity` is one of
  // model_file::kSimilarities; distances are negative.
  NearestVectors(std::vector<float> values, int64_t width, std::string_view similarity);

  // Whether a row may be a neighbour of a query. Called with all rows that are nearer than the
  // neighbours so far, in order; for different queries by several threads at once.
  using Admits = std::function<bool(size_t query, const Neighbour& row)>;

  // The `most` rows with the highest score, the first of equals first, for each query [E]. A
  // query's neighbours do not depend on other queries.
  std::vector<std::vector<Neighbour>> find(std::span<const std::span<const float>> queries,
                                           int64_t most, const Admits& admits = {}) const;
  // The same score of one row; NaN for a row that is never found.
  double score(std::span<const float> query, int64_t row) const;
  int64_t rows() const { return std::ssize(is_finite_); }
  int64_t width() const { return width_; }

 private:
  // Rows [begin, end), packed where scores are products.
  struct Part {
    int64_t begin, end;
    PackedWeight packed;
  };

  bool is_product() const { return similarity_ == "cosine" || similarity_ == "dot"; }
  Tensor prepared(std::span<const std::span<const float>> queries) const;
  // [Q, rows of the part] for prepared queries [Q, E]
  Tensor scores(const Tensor& queries, const Part& part) const;
  Tensor distances(const Tensor& queries, const Part& part) const;

  int64_t width_;
  std::string similarity_;
  std::vector<float> values_;  // [n, E] where scores are distances
  std::vector<Part> parts_;
  std::vector<bool> is_finite_;
};

// From an array or CSV of vectors (data::read_features), of which each has `width` numbers. Throws
// FileError, FormatError.
NearestVectors read_vectors(const std::string& path, int64_t width, std::string_view similarity);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_EMBEDDING_NEAREST_H_
