#include "weft/models/cross_view.h"

#include <cmath>

#include "weft/core/error.h"
#include "weft/nn/table.h"
#include "weft/ops/losses/regression.h"
#include "weft/ops/rows/mean_rows.h"
#include "weft/ops/rows/select_rows.h"
#include "weft/ops/slice.h"

namespace weft::models {
namespace {

constexpr double kSmallVariance = 1e-6;

// Rows of the encoder: for each pair the visible patches of the first view, a sequence of its own,
// and then all of the second. With the index of each patch among them, and of masked ones after
// them.
struct EncoderInput {
  data::Features patches;
  std::vector<int32_t> first, second;  // [B*P]
};

void append_row(const data::Features& from, int64_t row, data::Features& to) {
  const auto begin = from.values.begin() + row * from.width;
  to.values.insert(to.values.end(), begin, begin + from.width);
  to.grid.insert(to.grid.end(), from.grid.begin() + 2 * row, from.grid.begin() + 2 * row + 2);
}

EncoderInput encoder_input(const ViewBatch& views, bool has_second) {
  EncoderInput out;
  out.patches.width = views.first.width;
  out.patches.segments.first = views.first.segments.first * (has_second ? 2 : 1);
  const auto masked_count = static_cast<int32_t>(views.masked.ids.size());
  const auto total = static_cast<int32_t>(views.first.rows() - masked_count +
                                          (has_second ? views.second.rows() : 0));
  int32_t row = 0, masked_row = total;
  for (int64_t b = 0; b < views.first.examples(); ++b) {
    const Segments& all = views.first.segments;
    const std::span<const int32_t> masked = views.masked[b];
    size_t next = 0;  // of the masked ones
    for (int32_t n = all.begin(b); n < all.end(b); ++n) {
      if (next < masked.size() && masked[next] == n - all.begin(b)) {
        out.first.push_back(masked_row++);
        ++next;
        continue;
      }
      append_row(views.first, n, out.patches);
      out.first.push_back(row++);
    }
    out.patches.segments.append(all.length(b) - std::ssize(masked));
    if (!has_second) continue;
    const Segments& second = views.second.segments;
    for (int32_t n = second.begin(b); n < second.end(b); ++n) {
      append_row(views.second, n, out.patches);
      out.second.push_back(row++);
    }
    out.patches.segments.append(second.length(b));
  }
  return out;
}

ops::Selection masked_rows(const ViewBatch& views) {
  std::vector<int32_t> out;
  for (int64_t b = 0; b < views.first.examples(); ++b) {
    for (const int32_t patch : views.masked[b]) {
      out.push_back(views.first.segments.begin(b) + patch);
    }
  }
  return ops::make_selection(std::move(out), views.first.rows());
}

void normalise(std::span<float> patch) {
  const auto [mean, deviation] = moments_of(patch);
  const double scale = 1 / deviation;
  for (float& x : patch) x = static_cast<float>((x - mean) * scale);
}

nn::BlockOptions decoder_block(const CrossViewOptions& o) {
  std::optional<nn::PriorKinds> cross_attention;
  if (o.has_second_view()) cross_attention.emplace();
  nn::BlockOptions block =
      block_options(o.decoder_layers(), cross_attention, decoder_deepnorm(o.dec_depth));
  block.has_memory_norm = o.memory_norm;
  return block;
}

}  // namespace

PatchMoments moments_of(std::span<const float> patch) {
  const auto count = static_cast<double>(patch.size());
  double sum = 0, squares = 0;
  for (const float x : patch) sum += x;
  const double mean = sum / count;
  for (const float x : patch) squares += (x - mean) * (x - mean);
  return {.mean = mean, .deviation = std::sqrt(squares / count + kSmallVariance)};
}

CrossViewModel::CrossViewModel(const CrossViewOptions& o, const CrossViewDims& s)
    : options(o), dims(s) {
  o.check();
  s.check(o);
  nn::RngStreams dropouts;
  const int64_t patch_width = s.image.patch_width(o.patch_size), width = o.decoder_width();
  encoder = VectorEncoder(o.encoder, {.width = patch_width, .use = {.decoder_depth = o.dec_depth}},
                          dropouts);
  decoder_embed = nn::Linear(o.encoder.dim_emb, width, true);
  position = make_position(o.decoder_layers(), false);
  first_dropout = {o.encoder.transformer.dropout, dropouts.take()};
  second_dropout = {o.encoder.transformer.dropout, dropouts.take()};
  nn::StackOptions stack = stack_options(o.encoder.transformer, o.dec_depth);
  stack.name = "decoder";
  decoder.first = nn::Stack(stack, decoder_block(o), dropouts);
  stack.name = "second decoder";
  if (o.has_two_streams()) decoder.second = nn::Stack(stack, decoder_block(o), dropouts);
  if (o.is_completion()) {
    mask_token = nn::Parameter({1, width}, nn::Init::kNormal);
    completion_head = nn::Linear(width, patch_width, true);
  } else {
    motion_head = nn::Linear(o.has_two_streams() ? 2 * width : width, s.numbers, true);
  }
}

CrossViewModel::DecoderInputs CrossViewModel::encode(const ViewBatch& views,
                                                     const nn::Context& context) const {
  EncoderInput input = encoder_input(views, options.has_second_view());
  Tensor x = decoder_embed(encoder(input.patches, context).states, context.tape);
  if (!views.masked.ids.empty()) {
    const Tensor masks = nn::look_up(
        mask_token, ops::make_ids(std::vector<int32_t>(views.masked.ids.size())), 1, context.tape);
    x = ops::concat_rows(x, masks, context.tape);
  }
  const auto view = [&](std::vector<int32_t> order, const data::Features& patches,
                        const nn::Dropout& dropout) -> nn::Memory {
    const ops::LayoutPtr rows = rows_of(patches);
    const Tensor states =
        ops::select_rows(x, ops::make_selection(std::move(order), x.rows()), context.tape);
    return {.states = position.add_to(states, rows, dropout, context),
            .rows = rows,
            .rotary = position.in_attention(rows, context).rotary};
  };
  DecoderInputs out{view(std::move(input.first), views.first, first_dropout), {}};
  if (options.has_second_view()) {
    out.second = view(std::move(input.second), views.second, second_dropout);
  }
  return out;
}

CrossViewModel::DecoderInputs CrossViewModel::decode(const ViewBatch& views,
                                                     const nn::Context& context) const {
  DecoderInputs x = encode(views, context);
  if (options.has_two_streams()) {
    std::tie(x.first.states, x.second.states) = decoder(x.first, x.second, context);
  } else {
    const nn::AttentionPosition own{.rotary = x.first.rotary, .bias = {}};
    x.first.states = decoder.first.forward(x.first.states, {x.first.rows, own}, x.second, context);
  }
  return x;
}

Tensor CrossViewModel::completion(const ViewBatch& views, const nn::Context& context) const {
  const Tensor states = decode(views, context).first.states;  // [B*P, C]
  return completion_head(ops::select_rows(states, masked_rows(views), context.tape), context.tape);
}

Tensor CrossViewModel::completion_target(const ViewBatch& views) const {
  const int64_t width = views.first.width;
  std::vector<float> out;
  const ops::Selection masked = masked_rows(views);
  for (const int32_t row : *masked.from) {
    const auto begin = views.first.values.begin() + row * width;
    out.insert(out.end(), begin, begin + width);
    if (!options.objective.get<CompletionObjective>().normalise_patches) continue;
    normalise(std::span(out).last(static_cast<size_t>(width)));
  }
  return Tensor::from(out, {std::ssize(out) / width, width});
}

Tensor CrossViewModel::motion(const ViewBatch& views, const nn::Context& context) const {
  const DecoderInputs states = decode(views, context);
  Tensor x = ops::mean_rows(states.first.states, states.first.rows, context.tape);  // [B, C]
  if (options.has_two_streams()) {
    x = ops::concat_cols(x, ops::mean_rows(states.second.states, states.second.rows, context.tape),
                         context.tape);
  }
  return motion_head(x, context.tape);  // [B, K]
}

ops::Loss CrossViewModel::loss(const ViewBatch& views, double weight,
                               const nn::Context& context) const {
  if (options.is_completion()) {
    return ops::squared_error(completion(views, context), completion_target(views), weight,
                              context.tape);
  }
  const Tensor target = Tensor::from(views.numbers, {views.first.examples(), dims.numbers});
  return ops::absolute_error(motion(views, context), target, weight, context.tape);
}

}  // namespace weft::models
