#include "weft/models/encoders/vector_encoder.h"

#include "weft/core/error.h"
#include "weft/nn/table.h"
#include "weft/ops/rows/select_rows.h"
#include "weft/ops/slice.h"

namespace weft::models {
namespace {

// With one row more before those of each example.
ops::LayoutPtr with_class_token_rows(const ops::Layout& rows) {
  Segments segments;
  segments.first = rows.segments.first;
  std::vector<int32_t> grid;
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    segments.append(rows.segments.length(b) + 1);
    if (rows.grid.empty()) continue;
    grid.insert(grid.end(), {0, 0});
    grid.insert(grid.end(), rows.grid.begin() + 2 * rows.segments.begin(b),
                rows.grid.begin() + 2 * rows.segments.end(b));
  }
  auto out = std::make_shared<ops::Layout>(*ops::make_layout(std::move(segments)));
  out->grid = std::move(grid);
  return out;
}

}  // namespace

ops::LayoutPtr rows_of(const data::Features& features) {
  auto rows = std::make_shared<ops::Layout>(*ops::make_layout(features.segments));
  rows->grid = features.grid;
  return rows;
}

void check_patches(const data::ImageShape& image, int64_t patch, const EncoderOptions& encoder,
                   int64_t more) {
  if (image.height < 1 || image.width < 1 || (image.channels != 1 && image.channels != 3)) {
    fail<OptionError>("model", "pictures of {} by {} with {} channels; expected 1 or 3 channels",
                      image.height, image.width, image.channels);
  }
  if (patch < 1) fail<OptionError>("--patch-size", "expected 1 or more in a model, got {}", patch);
  if (image.height % patch != 0 || image.width % patch != 0) {
    fail<OptionError>("--patch-size", "{} does not divide pictures of {} by {}; expected a divisor",
                      patch, image.height, image.width);
  }
  const int64_t rows = image.patches(patch) + more, most = encoder.table_capacity();
  if (rows > most) {
    fail<OptionError>("--max-positions", "expected {} or more, the patches of a picture, got {}",
                      rows, most);
  }
}

VectorEncoder::VectorEncoder(const EncoderOptions& o, const VectorEncoderDims& s,
                             nn::RngStreams& dropouts)
    : options(o), dims(s) {
  o.check();
  if (s.stem_patch == 0) {
    projection = nn::Linear(s.width, o.dim_emb, true);
  } else {
    const int64_t pixels = nn::ConvolutionStem::kSquare * nn::ConvolutionStem::kSquare;
    stem = nn::ConvolutionStem(s.width / pixels, s.stem_patch, o.dim_emb);
  }
  if (s.has_class_token) class_token = nn::Parameter({1, o.dim_emb}, nn::Init::kNormal);
  position = make_position(o);
  input_dropout = {o.input_dropout(), dropouts.take()};
  encoder = make_encoder(o, dropouts, s.use);
}

Tensor VectorEncoder::with_class_tokens(const Tensor& x, const Segments& segments,
                                        const nn::Context& context) const {
  const auto examples = static_cast<size_t>(segments.count());
  const Tensor tokens = nn::look_up(class_token, ops::make_ids(std::vector<int32_t>(examples)), 1,
                                    context.tape);               // [B, D]
  const Tensor all = ops::concat_rows(tokens, x, context.tape);  // [B + N, D]
  std::vector<int32_t> order;
  order.reserve(static_cast<size_t>(all.rows()));
  const auto first = static_cast<int32_t>(examples);
  for (int32_t b = 0; b < first; ++b) {
    order.push_back(b);
    for (int32_t n = segments.begin(b); n < segments.end(b); ++n) order.push_back(first + n);
  }
  return ops::select_rows(all, ops::make_selection(std::move(order), all.rows()), context.tape);
}

VectorEncoder::Input VectorEncoder::embed(const data::Features& features,
                                          const nn::Context& context) const {
  if (features.width != dims.width) {
    fail<ShapeError>("encoder", "expected vectors of {} numbers, got {}", dims.width,
                     features.width);
  }
  const nn::Linear& last = stem.is_present() ? stem.projection : projection;
  const Tensor vectors =
      Tensor::from(features.values, {features.rows(), features.width}).to(last.bias.value.dtype());
  ops::LayoutPtr rows = rows_of(features);
  if (!stem.is_present()) return {projection(vectors, context.tape), std::move(rows)};
  Tensor x = stem(vectors, rows, context);
  return {std::move(x), std::move(rows)};
}

nn::Memory VectorEncoder::operator()(const data::Features& features,
                                     const nn::Context& context) const {
  auto [x, rows] = embed(features, context);
  if (dims.has_class_token) {
    x = with_class_tokens(x, rows->segments, context);
    rows = with_class_token_rows(*rows);
  }
  x = position.add_to(x, rows, input_dropout, context);
  return encoder(std::move(x), rows, position.in_attention(rows, context), context);
}

}  // namespace weft::models
