#include "weft/models/detector.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/nn/table.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/convert.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::models {
namespace {

// The first box of a patch is around its centre, this many patches wide and high.
constexpr double kPatchesOfBox = 3;

float logit(double p) {
  const double inside = std::clamp(p, 1e-3, 1 - 1e-3);
  return static_cast<float>(std::log(inside / (1 - inside)));
}

// The logits of the first box of each patch, [N, 4].
Tensor patch_references(const ops::Layout& rows, const data::ImageShape& image, int64_t patch,
                        DType type) {
  const int64_t height = image.height / patch, width = image.width / patch;
  const auto rows_of_patches = static_cast<double>(height);
  const auto columns_of_patches = static_cast<double>(width);
  std::vector<float> out;
  for (size_t i = 0; i < rows.grid.size(); i += 2) {
    out.push_back(logit((rows.grid[i + 1] + 0.5) / columns_of_patches));
    out.push_back(logit((rows.grid[i] + 0.5) / rows_of_patches));
    out.push_back(logit(kPatchesOfBox / columns_of_patches));
    out.push_back(logit(kPatchesOfBox / rows_of_patches));
  }
  return Tensor::from(out, {rows.count(), 4}).to(type);
}

// How much more likely than no object the most likely label of each row is, as a logit.
std::vector<float> objectness(const Tensor& logits) {
  const Tensor x = logits.to(DType::kF32);
  std::vector<float> out;
  for (int64_t n = 0; n < x.rows(); ++n) {
    const auto row = x.row_range(n, n + 1).span<float>();
    out.push_back(*std::max_element(row.begin(), row.end() - 1) - row.back());
  }
  return out;
}

// The `count` rows of each segment with the highest scores, or all where it has fewer; the highest
// first, equals in their order.
std::vector<int32_t> best_rows(const Segments& segments, const std::vector<float>& scores,
                               int64_t count, Segments& chosen) {
  std::vector<int32_t> out;
  for (int64_t b = 0; b < segments.count(); ++b) {
    std::vector<int32_t> order(static_cast<size_t>(segments.length(b)));
    std::iota(order.begin(), order.end(), segments.begin(b));
    std::ranges::stable_sort(order, std::greater(), [&](int32_t row) { return scores[row]; });
    order.resize(std::min(order.size(), static_cast<size_t>(count)));
    out.insert(out.end(), order.begin(), order.end());
    chosen.append(std::ssize(order));
  }
  return out;
}

}  // namespace

BoxHead::BoxHead(int64_t features)
    : layers{nn::Linear(features, features, true), nn::Linear(features, features, true),
             nn::Linear(features, 4, true)} {}

Tensor BoxHead::operator()(const Tensor& x, const Tensor& reference, autograd::Tape* tape) const {
  Tensor y = layers[0](x, tape, ops::Activation::kRelu);  // [N, D]
  y = layers[1](y, tape, ops::Activation::kRelu);         // [N, D]
  y = layers[2](y, tape);                                 // [N, 4]
  y = ops::convert(y, sum_type(y.dtype()), tape);
  return reference ? ops::add(y, reference, tape) : y;
}

Detector::Detector(const DetectorOptions& o, const DetectorDims& s) : options(o), dims(s) {
  o.check();
  s.check(o);
  nn::RngStreams dropouts;
  const int64_t features = o.dim_emb;
  encoder = VectorEncoder(o.encoder(),
                          {.width = s.image.patch_width(o.image.vector_side()),
                           .use = {.in_grid = true, .decoder_depth = o.dec_depth},
                           .stem_patch = o.image.has_stem() ? o.image.patch_size : 0},
                          dropouts);
  if (o.queries.is<LearnedQueries>()) {
    queries = nn::embedding_table(o.query_count, features);
  } else {
    encoder_labels = nn::Linear(features, s.labels + 1, true);
    encoder_boxes = BoxHead(features);
    query_projection = nn::Linear(features, features, true);
  }
  decoder = decoder_stack(
      o, {.depth = o.dec_depth, .cross_attention = nn::PriorKinds(), .is_causal = false}, dropouts);
  labels = nn::Linear(features, s.labels + 1, true);
  boxes = BoxHead(features);
}

void Detector::start_from_learned(Start& start, const nn::Context& context) const {
  const ops::LayoutPtr& patches = start.memory.rows;
  Segments segments = Segments::uniform(patches->sequences(), options.query_count);
  segments.first = patches->segments.first;
  start.rows = ops::make_layout(std::move(segments));
  const double scale = std::sqrt(static_cast<double>(options.dim_emb));  // deviation 1
  start.x = nn::look_up(queries, ops::make_ids(start.rows->position), scale, context.tape);
}

void Detector::start_from_encoder(Start& start, const nn::Context& context) const {
  const ops::LayoutPtr& patches = start.memory.rows;
  const Tensor& states = start.memory.states;
  const Tensor logits = encoder_labels(states, context.tape);  // [M, C + 1]
  const Tensor reference =
      patch_references(*patches, dims.image, options.image.patch_size, sum_type(states.dtype()));
  const Tensor first = encoder_boxes(states, reference, context.tape);  // [M, 4]
  Segments segments;
  segments.first = patches->segments.first;
  const std::vector<int32_t> best =
      best_rows(patches->segments, objectness(logits), options.query_count, segments);
  auto rows = std::make_shared<ops::Layout>(*ops::make_layout(std::move(segments)));
  for (const int32_t row : best) {
    rows->grid.insert(rows->grid.end(), {patches->grid[2 * row], patches->grid[2 * row + 1]});
  }
  const ops::Selection selection = ops::make_selection(best, states.rows());
  // The loss of the refined boxes reaches the first ones, too (DINO, Zhang et al. 2023, arXiv
  // 2203.03605, section 3.5).
  start.reference = ops::select_rows(first, selection, context.tape);  // [N, 4]
  start.x = query_projection(ops::select_rows(states, selection, context.tape), context.tape);
  start.rows = std::move(rows);
  start.patches = {.logits = logits,
                   .boxes = ops::activate(ops::Activation::kSigmoid, first, context.tape),
                   .rows = patches};
}

Detector::Start Detector::start(const data::Features& squares, const nn::Context& context) const {
  Start out;
  out.memory = encoder(squares, context);
  options.queries.is<LearnedQueries>() ? start_from_learned(out, context)
                                       : start_from_encoder(out, context);
  return out;
}

BoxPredictions Detector::predictions(const Tensor& states, const Start& start,
                                     const nn::Context& context) const {
  const Tensor box = boxes(states, start.reference, context.tape);  // [N, 4]
  return {.logits = labels(states, context.tape),                   // [N, C + 1]
          .boxes = ops::activate(ops::Activation::kSigmoid, box, context.tape),
          .rows = start.rows};
}

BoxPredictions Detector::operator()(const data::Features& squares,
                                    const nn::Context& context) const {
  const Start from = start(squares, context);
  const Tensor states = decoder.forward(from.x, {from.rows, {}}, from.memory, context);  // [N, D]
  return predictions(states, from, context);
}

std::vector<BoxPredictions> Detector::hidden_states(const data::Features& squares,
                                                    const nn::Context& context) const {
  const Start from = start(squares, context);
  std::vector<BoxPredictions> out;
  if (from.patches) out.push_back(*from.patches);
  for (const Tensor& states :
       decoder.hidden_states(from.x, {from.rows, {}}, from.memory, context)) {
    out.push_back(predictions(states, from, context));
  }
  return out;
}

ops::Loss Detector::loss(const data::Batch& batch, const SetLossParams& params, double weight,
                         const nn::Context& context) const {
  const ExpectedBoxes expected{std::get<data::Labels>(batch.fields[1]),
                               std::get<data::Features>(batch.fields[2])};
  ops::Loss sum;
  for (const BoxPredictions& predicted :
       hidden_states(std::get<data::Features>(batch.fields[0]), context)) {
    const ops::Loss loss = set_loss(predicted, expected, params, weight, context.tape);
    sum.value = sum.value ? ops::add(sum.value, loss.value, context.tape) : loss.value;
    sum.total += loss.total;
  }
  return sum;
}

}  // namespace weft::models
