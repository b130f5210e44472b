#include "weft/models/transcriber.h"

#include <cmath>
#include <numeric>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/softmax.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/projection_ctc.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/scale.h"

namespace weft::models {

Transcriber::Transcriber(const TranscriberOptions& o, const TranscriberDims& s)
    : options(o), dims(s) {
  o.check();
  s.check();
  subsampler = nn::Subsampler(o.subsampler, s.bins, o.encoder.dim_emb);
  const DecoderOptions target = o.decoder_options();
  nn::RngStreams dropouts;
  position = make_position(o.encoder);
  input_dropout = {o.encoder.input_dropout(), dropouts.take()};
  encoder =
      make_encoder(o.encoder, dropouts, {.decoder_depth = o.has_decoder() ? target.dec_depth : 0});
  if (o.has_ctc()) {
    ctc = nn::Linear(width_of(encoder, o.encoder), s.vocab, true);
    ctc.weight.vocabulary = ctc.bias.vocabulary = nn::Vocabulary::kTarget;
  }
  if (!o.has_decoder()) return;
  const LayerOptions layers = o.decoder_layers();
  TokenEmbedding embedding({.vocab = s.vocab,
                            .vocabulary = nn::Vocabulary::kTarget,
                            .features = layers.dim_emb,
                            .position = make_position(layers, true),
                            .dropout = layers.transformer.dropout},
                           dropouts);
  nn::Stack stack = decoder_stack(
      layers, {.depth = target.dec_depth, .cross_attention = nn::PriorKinds()}, dropouts);
  decoder = TokenDecoder(std::move(embedding), {std::move(stack)}, target);
}

nn::Memory Transcriber::encode(const data::Features& frames, const nn::Context& context) const {
  if (frames.width != dims.bins) {
    fail<ShapeError>("encoder", "expected frames of {} numbers, got {}", dims.bins, frames.width);
  }
  const Tensor x = Tensor::from(frames.values, {frames.rows(), frames.width})
                       .to(subsampler.layers.front().bias.value.dtype());
  const auto [shortened, rows] = subsampler(x, ops::make_layout(frames.segments), context.tape);
  const double scale = std::sqrt(static_cast<double>(options.encoder.dim_emb));
  const Tensor input =
      position.add_to(ops::scale(shortened, scale, context.tape), rows, input_dropout, context);
  return encoder(input, rows, position.in_attention(rows, context), context);
}

Tensor Transcriber::ctc_log_probabilities(const Tensor& states) const {
  const Tensor logits = ctc(states, nullptr).to(DType::kF32);  // [M, V]
  Tensor out = Tensor::empty(logits.shape());
  backend_of(out)(kernels::LogSoftmax{.x = logits, .y = out});
  return out;
}

ops::Loss Transcriber::loss(const data::Batch& batch, const TranscriberLoss& params,
                            const nn::Context& context) const {
  const data::Tokens& target = batch.tokens(1);
  const nn::Memory memory = encode(std::get<data::Features>(batch.fields[0]), context);
  const double share = options.ctc_weight();
  ops::Loss out;
  if (options.has_decoder()) {
    const auto begin = static_cast<int32_t>(dims.begin_id);
    const Tensor states = decoder.states(target, begin, memory, context);
    out = ops::projection_loss(
        states, decoder.projection(), ops::make_ids(target.ids),
        {.smoothing = params.smoothing, .weight = params.weight * (1 - share)}, context.tape);
    out.total *= 1 - share;
    out.nll *= 1 - share;
  }
  if (!options.has_ctc()) return out;
  const ops::CtcLoss aligned = ops::projection_ctc(
      memory.states, {ctc.weight, ctc.bias}, {memory.rows, ops::labels_without_end(target)},
      {.blank = static_cast<int32_t>(dims.end_id), .weight = params.weight * share}, context.tape);
  const double sum = share * std::accumulate(aligned.losses.begin(), aligned.losses.end(), 0.0);
  out.value = out.value ? ops::add(out.value, aligned.value, context.tape) : aligned.value;
  out.total += sum;
  out.nll += sum;
  return out;
}

}  // namespace weft::models
