#include "weft/predict/embedding/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/core/error.h"
#include "weft/core/interruption.h"
#include "weft/core/parallel.h"
#include "weft/data/features/feature_file.h"
#include "weft/ops/packed_linear.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

constexpr int64_t kPartRows = 8192;  // whose scores of kQueries are in memory
constexpr size_t kQueries = 128;

double distance(const float* x, const float* y, int64_t size, bool is_squared) {
  double out = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double difference = double{x[i]} - y[i];
    out += is_squared ? difference * difference : std::abs(difference);
  }
  return is_squared ? std::sqrt(out) : out;
}

void to_length_one(std::span<float> vector) {
  double square = 0;
  for (const float value : vector) square += double{value} * value;
  if (!(square > 0)) return;
  const double scale = 1 / std::sqrt(square);
  for (float& value : vector) value = static_cast<float>(value * scale);
}

// The nearest rows so far, of rows that come in order.
class Nearest {
 public:
  explicit Nearest(int64_t most) : most_(most) {}

  // Whether a row with this score is nearer than the farthest.
  bool takes(double score) const {
    if (std::ssize(heap_) < most_) return !std::isnan(score);
    return most_ > 0 && score > heap_.front().score;
  }
  void add(const Neighbour& row) {
    if (std::ssize(heap_) == most_) {
      std::ranges::pop_heap(heap_, is_nearer);
      heap_.pop_back();
    }
    heap_.push_back(row);
    std::ranges::push_heap(heap_, is_nearer);
  }
  // The nearest first.
  std::vector<Neighbour> take() {
    std::ranges::sort_heap(heap_, is_nearer);
    return std::move(heap_);
  }

 private:
  static bool is_nearer(const Neighbour& a, const Neighbour& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  }

  int64_t most_;
  std::vector<Neighbour> heap_;  // the farthest on top
};

}  // namespace

NearestVectors::NearestVectors(std::vector<float> values, int64_t width,
                               std::string_view similarity)
    : width_(width), similarity_(similarity), values_(std::move(values)) {
  const auto size = static_cast<size_t>(width);
  for (size_t from = 0; from + size <= values_.size(); from += size) {
    const std::span<float> row = std::span(values_).subspan(from, size);
    is_finite_.push_back(predict::is_finite(row));
    if (!is_finite_.back()) std::ranges::fill(row, 0.0F);
    if (similarity_ == "cosine") to_length_one(row);
  }
  for (int64_t begin = 0; begin < rows(); begin += kPartRows) {
    Part part{begin, std::min(begin + kPartRows, rows()), {}};
    if (is_product()) {
      const auto of_part = std::span<const float>(values_).subspan(
          static_cast<size_t>(begin * width), static_cast<size_t>((part.end - begin) * width));
      part.packed = PackedWeight(Tensor::from(of_part, {part.end - begin, width}), DType::kF32);
    }
    parts_.push_back(std::move(part));
  }
  if (is_product()) values_ = {};
}

Tensor NearestVectors::prepared(std::span<const std::span<const float>> queries) const {
  Tensor out = Tensor::empty({std::ssize(queries), width_});
  for (size_t i = 0; i < queries.size(); ++i) {
    const std::span row(out.data<float>() + static_cast<int64_t>(i) * width_,
                        static_cast<size_t>(width_));
    std::ranges::copy(queries[i], row.begin());
    if (similarity_ == "cosine") to_length_one(row);
  }
  return out;
}

Tensor NearestVectors::scores(const Tensor& queries, const Part& part) const {
  if (!is_product()) return distances(queries, part);
  return ops::packed_linear(queries, std::span(&part.packed.view(), 1), {}, ops::Activation::kNone);
}

Tensor NearestVectors::distances(const Tensor& queries, const Part& part) const {
  const bool is_squared = similarity_ == "euclidean";
  const int64_t size = part.end - part.begin;
  Tensor out = Tensor::empty({queries.rows(), size});
  parallel_for(queries.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* x = queries.data<float>() + i * width_;
      for (int64_t j = 0; j < size; ++j) {
        const float* y = values_.data() + (part.begin + j) * width_;
        out.data<float>()[i * size + j] = static_cast<float>(-distance(x, y, width_, is_squared));
      }
    }
  });
  return out;
}

double NearestVectors::score(std::span<const float> query, int64_t row) const {
  if (!is_finite_[static_cast<size_t>(row)]) return std::numeric_limits<double>::quiet_NaN();
  const Part& part = parts_[static_cast<size_t>(row / kPartRows)];
  Part alone{row, row + 1, {}};
  if (is_product()) {
    const auto index = static_cast<int32_t>(row - part.begin);
    alone.packed = part.packed.rows(std::span(&index, 1));
  }
  return scores(prepared(std::span(&query, 1)), alone).item();
}

std::vector<std::vector<Neighbour>> NearestVectors::find(
    std::span<const std::span<const float>> queries, int64_t most, const Admits& admits) const {
  std::vector<Nearest> nearest(queries.size(), Nearest(most));
  for (size_t first = 0; first < queries.size(); first += kQueries) {
    const auto some = queries.subspan(first, std::min(kQueries, queries.size() - first));
    const Tensor x = prepared(some);  // [Q, E]
    interruption_point();
    for (const Part& part : parts_) {
      const Tensor found = scores(x, part);  // [Q, rows of the part]
      parallel_for(found.rows(), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const size_t query = first + static_cast<size_t>(i);
          const std::span row(found.data<float>() + i * found.cols(),
                              static_cast<size_t>(found.cols()));
          for (size_t j = 0; j < row.size(); ++j) {
            const Neighbour one{part.begin + static_cast<int64_t>(j), row[j]};
            if (!nearest[query].takes(one.score)) continue;
            if (!is_finite_[static_cast<size_t>(one.row)]) continue;
            if (!admits || admits(query, one)) nearest[query].add(one);
          }
        }
      });
    }
  }
  std::vector<std::vector<Neighbour>> out;
  out.reserve(nearest.size());
  for (Nearest& one : nearest) out.push_back(one.take());
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
