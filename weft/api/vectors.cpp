// Vectors in fewer bits, and those of a collection that are nearest.
#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/embed.h"
#include "weft/model_file/embedder.h"
#include "weft/options/option_value.h"
#include "weft/predict/embedding/nearest.h"

namespace weft {
namespace {

// The width of vectors [n, E].
int64_t width_of(const Array& vectors) {
  const std::vector<int64_t>& shape = vectors.shape;
  const bool is_matrix = shape.size() == 2 && shape[0] >= 0 && shape[1] > 0 &&
                         std::ssize(vectors.values) == shape[0] * shape[1];
  if (!is_matrix) fail<ShapeError>("vectors", "expected an array [n, E] with all its values");
  return shape[1];
}

void check_finite(std::string_view where, std::span<const float> values) {
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
    fail<NumericError>(where, "not finite numbers");
  }
}

std::string_view checked(std::string_view similarity) {
  const std::vector<std::string> known = options::split_choices(model_file::kSimilarities);
  if (std::ranges::find(known, similarity) == known.end()) {
    fail<OptionError>("similarity", "unknown value {}; expected one of {}", quote(similarity),
                      model_file::kSimilarities);
  }
  return similarity;
}

}  // namespace

struct NearestVectors::State {
  predict::NearestVectors vectors;
};

NearestVectors::NearestVectors(Array vectors, std::string_view similarity) {
  const int64_t width = width_of(vectors);
  state_ = std::make_shared<const State>(
      State{predict::NearestVectors(std::move(vectors.values), width, checked(similarity))});
}

NearestVectors::NearestVectors(const std::string& path, const Embedder& embedder)
    : state_(std::make_shared<const State>(
          State{predict::read_vectors(path, embedder.dimensions(), embedder.similarity())})) {}

std::vector<std::vector<Neighbour>> NearestVectors::find(const Array& queries, int64_t most) const {
  const int64_t width = width_of(queries);
  if (width != state_->vectors.width()) {
    fail<ShapeError>("queries", "{} numbers a vector; expected {}", width, state_->vectors.width());
  }
  require_option(most >= 0, "most", "expected a number of neighbours, 0 or more");
  check_finite("queries", queries.values);
  std::vector<std::span<const float>> rows;
  for (auto from = queries.values.begin(); from != queries.values.end(); from += width) {
    rows.emplace_back(from, from + width);
  }
  return state_->vectors.find(rows, most);
}

int64_t NearestVectors::rows() const { return state_->vectors.rows(); }

std::vector<int8_t> int8_vector(std::span<const float> vector) {
  check_finite("vector", vector);
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  const double scale = largest > 0 ? 127 / double{largest} : 0;
  std::vector<int8_t> out;
  out.reserve(vector.size());
  for (const float value : vector) {
    out.push_back(static_cast<int8_t>(std::nearbyint(value * scale)));
  }
  return out;
}

std::vector<uint8_t> sign_bits(std::span<const float> vector) {
  std::vector<uint8_t> out((vector.size() + 7) / 8);
  for (size_t i = 0; i < vector.size(); ++i) {
    if (vector[i] > 0) out[i / 8] |= static_cast<uint8_t>(0x80U >> (i % 8));
  }
  return out;
}

}  // namespace weft
