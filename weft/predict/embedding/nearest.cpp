#include "weft/predict/embedding/nearest.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/data/features/feature_file.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

// In eight sums, which a compiler can compute side by side; their order is always the same.
double product(const float* x, const float* y, int64_t size) {
  float sums[8] = {};
  int64_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (int64_t lane = 0; lane < 8; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  double out = 0;
  for (const float sum : sums) out += sum;
  for (; i < size; ++i) out += double{x[i]} * y[i];
  return out;
}

double distance(const float* x, const float* y, int64_t size, bool is_squared) {
  double out = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double difference = double{x[i]} - y[i];
    out += is_squared ? difference * difference : std::abs(difference);
  }
  return is_squared ? std::sqrt(out) : out;
}

void to_length_one(std::span<float> vector) {
  const double square = product(vector.data(), vector.data(), std::ssize(vector));
  if (!(square > 0)) return;
  const double scale = 1 / std::sqrt(square);
  for (float& value : vector) value = static_cast<float>(value * scale);
}

}  // namespace

NearestVectors::NearestVectors(std::vector<float> values, int64_t width,
                               std::string_view similarity)
    : width_(width), similarity_(similarity), values_(std::move(values)) {
  const auto size = static_cast<size_t>(width);
  for (size_t from = 0; from + size <= values_.size(); from += size) {
    const std::span<float> row = std::span(values_).subspan(from, size);
    is_finite_.push_back(predict::is_finite(row));
    if (similarity_ == "cosine") to_length_one(row);
  }
}

std::vector<Neighbour> NearestVectors::nearest(std::span<const float> query, int64_t most) const {
  const bool is_product = similarity_ == "cosine" || similarity_ == "dot";
  std::vector<float> x(query.begin(), query.end());
  if (similarity_ == "cosine") to_length_one(x);
  std::vector<Neighbour> out;
  for (int64_t row = 0; row < rows(); ++row) {
    if (!is_finite_[static_cast<size_t>(row)]) continue;
    const float* y = values_.data() + row * width_;
    out.push_back({row, is_product ? product(x.data(), y, width_)
                                   : -distance(x.data(), y, width_, similarity_ == "euclidean")});
  }
  const auto count = std::min<int64_t>(most, std::ssize(out));
  std::ranges::partial_sort(out, out.begin() + count, [](const Neighbour& a, const Neighbour& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  out.resize(static_cast<size_t>(count));
  return out;
}

std::vector<std::vector<Neighbour>> NearestVectors::find(
    std::span<const std::vector<float>> queries, int64_t most) const {
  std::vector<std::vector<Neighbour>> out(queries.size());
  parallel_for(std::ssize(queries), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto query = static_cast<size_t>(i);
      out[query] = nearest(queries[query], most);
    }
  });
  return out;
}

NearestVectors read_vectors(const std::string& path, int64_t width, std::string_view similarity) {
  data::FeatureSequence read = data::read_features(path);
  if (read.width != width) {
    fail<FormatError>(path, "vectors of {} numbers; expected {}, as the model makes them",
                      read.width, width);
  }
  return {std::move(read.values), width, similarity};
}

}  // namespace weft::predict
