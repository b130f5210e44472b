#include "weft/inspect/positions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/ops/fused/attention.h"
#include "weft/ops/rotary.h"
#include "weft/predict/not_finite.h"

namespace weft::inspect {
namespace {

constexpr int64_t kMostRows = 64;

// x x^T, by `divisor(i, j)`. x [P, D].
template <class Divisor>
Tensor products(const Tensor& x, const Divisor& divisor) {
  const int64_t count = x.rows();
  Tensor out = Tensor::empty({count, count});
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < count; ++j) {
      const auto a = x.row_range(i, i + 1).span<float>(), b = x.row_range(j, j + 1).span<float>();
      double sum = 0;
      for (size_t d = 0; d < a.size(); ++d) sum += double{a[d]} * b[d];
      out.data<float>()[i * count + j] = static_cast<float>(sum / divisor(i, j));
    }
  }
  return out;
}

double norm(const Tensor& x, int64_t row) {
  double sum = 0;
  for (const float value : x.row_range(row, row + 1).span<float>()) sum += double{value} * value;
  return std::sqrt(std::max(sum, 1e-30));
}

bool is_zero(const Tensor& x) {
  return std::ranges::all_of(x.span<float>(), [](float value) { return value == 0; });
}

// What a bias adds to the scores of each head; the same of all heads once.
std::vector<Tensor> biases(const ops::PositionBias& bias, const StackPositions& stack) {
  const int64_t heads = stack.layers.transformer.attention.heads;
  ops::AttentionParams params;
  params.queries = params.keys = stack.rows;
  params.heads = heads;
  params.bias = bias;
  const Tensor zeros = Tensor::zeros({stack.rows->count(), heads});
  std::vector<Tensor> out;
  for (int64_t head = 0; head < heads; ++head) {
    out.push_back(ops::attention_scores(zeros, zeros, params, {0, head}, nullptr));
  }
  return out;
}

PositionMaps maps_of_stack(const StackPositions& stack) {
  PositionMaps out{.stack = stack.stack,
                   .kind = std::string(stack.layers.position.kind.name()),
                   .encodings = {},
                   .similarity = {}};
  const int64_t count = stack.rows->count();
  const Tensor encodings =
      stack.position.add_to(Tensor::zeros({count, stack.layers.dim_emb}), stack.rows, {}, {});
  if (!is_zero(encodings)) {
    out.encodings = encodings;
    out.similarity.push_back(products(
        encodings, [&](int64_t i, int64_t j) { return norm(encodings, i) * norm(encodings, j); }));
  }
  const nn::AttentionPosition in_attention = stack.position.in_attention(stack.rows, {});
  if (in_attention.rotary) {
    const int64_t size = stack.layers.key_size();
    const double magnitude = in_attention.rotary->angles->magnitude;
    const Tensor rotated =
        ops::rotary(Tensor::full({count, size}, 1), *in_attention.rotary, nullptr);
    out.similarity.push_back(products(rotated, [&](int64_t, int64_t) {
      return magnitude * magnitude * static_cast<double>(size);
    }));
  }
  const ops::PositionBias& bias = in_attention.bias;
  if (bias.table || bias.slopes != nullptr) out.similarity = biases(bias, stack);
  return out;
}

}  // namespace

ops::LayoutPtr rows_of_tokens(int64_t capacity) {
  return ops::make_layout(Segments::uniform(1, std::min(kMostRows, capacity)));
}

ops::LayoutPtr rows_of_patches(const data::ImageShape& shape, int64_t patch) {
  const int64_t columns = shape.width / patch, count = shape.patches(patch);
  auto rows = std::make_shared<ops::Layout>(*ops::make_layout(Segments::uniform(1, count)));
  for (int64_t i = 0; i < count; ++i) {
    rows->grid.push_back(static_cast<int32_t>(i / columns));
    rows->grid.push_back(static_cast<int32_t>(i % columns));
  }
  return rows;
}

bool is_finite(const PositionMaps& maps) {
  if (maps.encodings && !predict::is_finite(maps.encodings.span<float>())) return false;
  return std::ranges::all_of(maps.similarity, [](const Tensor& matrix) {
    return predict::is_finite(matrix.span<float>());
  });
}

std::vector<PositionMaps> position_maps(const std::vector<StackPositions>& stacks) {
  std::vector<PositionMaps> out;
  for (const StackPositions& stack : stacks) {
    PositionMaps maps = maps_of_stack(stack);
    if (!maps.similarity.empty()) out.push_back(std::move(maps));
  }
  return out;
}

std::vector<PositionMaps> positions_of(const models::TextEncoder& encoder) {
  const models::TextEncoderOptions& o = encoder.options;
  if (!o.has_positions()) return {};
  return position_maps(
      {{"encoder", encoder.embedding.position, o, rows_of_tokens(o.table_capacity())}});
}

}  // namespace weft::inspect
