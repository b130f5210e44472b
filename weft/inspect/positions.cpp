#include "weft/inspect/positions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/models/capacity.h"
#include "weft/ops/fused/attention.h"
#include "weft/ops/rotary.h"
#include "weft/predict/not_finite.h"

namespace weft::inspect {
namespace {

constexpr int64_t kMostRows = 64;

// A stack's positions, the layers that they belong to, and rows that have them.
struct StackPositions {
  std::string stack;
  const nn::Position& position;
  models::LayerParts layers;
  ops::RowsPtr rows;
};

ops::RowsPtr rows_of_tokens(int64_t capacity) {
  return ops::make_rows(Segments::uniform(1, std::min(kMostRows, capacity)));
}

ops::RowsPtr rows_of_patches(const data::ImageShape& shape, int64_t patch) {
  const int64_t columns = shape.width / patch, count = shape.patches(patch);
  auto rows = std::make_shared<ops::Rows>(*ops::make_rows(Segments::uniform(1, count)));
  for (int64_t i = 0; i < count; ++i) {
    rows->grid.push_back(static_cast<int32_t>(i / columns));
    rows->grid.push_back(static_cast<int32_t>(i % columns));
  }
  return rows;
}

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
  ops::AttentionRule rule;
  rule.queries = rule.keys = stack.rows;
  rule.heads = heads;
  rule.bias = bias;
  const Tensor zeros = Tensor::zeros({stack.rows->count(), heads});
  std::vector<Tensor> out;
  for (int64_t head = 0; head < heads; ++head) {
    out.push_back(ops::attention_scores(zeros, zeros, rule, {0, head}, nullptr));
  }
  return out;
}

PositionMaps position_maps(const StackPositions& stack) {
  PositionMaps out{.stack = stack.stack,
                   .kind = std::string(stack.layers.position.kind.name()),
                   .encodings = {},
                   .similarity = {}};
  const int64_t count = stack.rows->count();
  const Tensor encodings =
      stack.position.add_to(Tensor::zeros({count, stack.layers.features}), stack.rows, {}, {});
  if (!is_zero(encodings)) {
    out.encodings = encodings;
    out.similarity.push_back(products(
        encodings, [&](int64_t i, int64_t j) { return norm(encodings, i) * norm(encodings, j); }));
  }
  const nn::AttentionPosition in_attention = stack.position.in_attention(stack.rows, {});
  if (in_attention.rotary) {
    const int64_t size = stack.layers.key_size();
    const double magnitude = in_attention.rotary->frequencies->magnitude;
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

// Without those of stacks that have no positions.
std::vector<PositionMaps> all_of(const std::vector<StackPositions>& stacks) {
  std::vector<PositionMaps> out;
  for (const StackPositions& stack : stacks) {
    PositionMaps maps = position_maps(stack);
    if (!maps.similarity.empty()) out.push_back(std::move(maps));
  }
  return out;
}

std::vector<PositionMaps> of_text_encoder(const models::TextEncoder& encoder) {
  const models::EncoderOptions& o = encoder.options;
  if (!o.has_positions()) return {};
  return all_of({{"encoder", encoder.position, o.layers(), rows_of_tokens(o.table_capacity())}});
}

std::vector<PositionMaps> of_seq2seq(const models::Seq2Seq& model) {
  const models::Seq2SeqOptions& o = model.options;
  std::vector<StackPositions> out;
  if (o.has_positions(models::Side::kEncoder)) {
    out.push_back({"encoder", model.encoder_position, o.layers(),
                   rows_of_tokens(models::source_capacity(o))});
  }
  if (o.has_decoder() && o.has_positions(models::Side::kDecoder)) {
    out.push_back({"decoder", model.decoder_position, o.layers(),
                   rows_of_tokens(models::target_capacity(o))});
  }
  return all_of(out);
}

}  // namespace

bool is_finite(const PositionMaps& maps) {
  if (maps.encodings && !predict::is_finite(maps.encodings.span<float>())) return false;
  return std::ranges::all_of(maps.similarity, [](const Tensor& matrix) {
    return predict::is_finite(matrix.span<float>());
  });
}

std::vector<PositionMaps> positions_of(const model_file::TranslatorSession& session) {
  return of_seq2seq(session.model);
}

std::vector<PositionMaps> positions_of(const model_file::TranscriberSession& session) {
  return of_seq2seq(session.model.seq2seq);
}

std::vector<PositionMaps> positions_of(const model_file::TaggerSession& session) {
  return of_text_encoder(session.model.encoder);
}

std::vector<PositionMaps> positions_of(const model_file::ClassifierSession& session) {
  const models::Classifier& model = session.model;
  if (model.options.is_sequence()) return of_seq2seq(model.sequence);
  if (const auto* text = std::get_if<models::TextEncoder>(&model.encoder)) {
    return of_text_encoder(*text);
  }
  const auto& encoder = std::get<models::VectorEncoder>(model.encoder);
  if (!encoder.options.has_positions()) return {};
  const auto* image = model.options.input.get_if<models::ImageInput>();
  const ops::RowsPtr rows = image != nullptr ? rows_of_patches(model.sizes.image, image->patch_size)
                                             : rows_of_tokens(encoder.options.table_capacity());
  return all_of({{"encoder", encoder.position, encoder.options.layers(), rows}});
}

std::vector<PositionMaps> positions_of(const model_file::DetectorSession& session) {
  const models::Detector& model = session.model;
  return all_of({{"encoder", model.encoder.position, model.encoder.options.layers(),
                  rows_of_patches(model.sizes.image, model.options.image.patch_size)}});
}

std::vector<PositionMaps> positions_of(const model_file::CrossViewSession& session) {
  const models::CrossViewModel& model = session.model;
  const ops::RowsPtr rows = rows_of_patches(model.sizes.image, model.options.patch_size);
  return all_of({{"encoder", model.encoder.position, model.encoder.options.layers(), rows},
                 {"decoder", model.position, model.options.decoder_layers(), rows}});
}

}  // namespace weft::inspect
