#include "weft/models/transcriber.h"

#include <cmath>
#include <numeric>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/softmax.h"
#include "weft/models/seq2seq/non_autoregressive.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/projection_ctc.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/scale.h"

namespace weft::models {
Transcriber::Transcriber(const TranscriberOptions& o, const TranscriberSizes& s)
    : options(o), sizes(s) {
  o.check();
  s.check();
  subsampler = nn::Subsampler(o.subsampler, s.bins, o.encoder.dim_emb);
  seq2seq = Seq2Seq(
      o.seq2seq(),
      {.source_vocab = 0, .target_vocab = s.vocab, .begin_id = s.begin_id, .end_id = s.end_id});
  if (o.has_ctc()) ctc = nn::Linear(width_of(seq2seq.encoder, o.encoder), s.vocab, true);
}

nn::Memory Transcriber::encode(const data::Features& frames, const nn::Context& context) const {
  if (frames.width != sizes.bins) {
    fail<ShapeError>("encoder", "expected frames of {} numbers, got {}", sizes.bins, frames.width);
  }
  const Tensor x = Tensor::from(frames.values, {frames.rows(), frames.width})
                       .to(subsampler.layers.front().bias.value.dtype());
  const auto [shortened, rows] = subsampler(x, ops::make_rows(frames.segments), context.tape);
  const double scale = std::sqrt(static_cast<double>(options.encoder.dim_emb));
  return seq2seq.encode(ops::scale(shortened, scale, context.tape), rows, context);
}

Tensor Transcriber::ctc_log_probabilities(const Tensor& states) const {
  const Tensor logits = ctc(states, nullptr).to(DType::kF32);  // [M, V]
  Tensor out = Tensor::empty(logits.shape());
  backend_of(out)(kernels::LogSoftmax{.x = logits, .y = out});
  return out;
}

ops::Loss Transcriber::loss(const data::Batch& batch, const TranscriberLoss& rule,
                            const nn::Context& context) const {
  const data::Tokens& target = batch.tokens(1);
  const nn::Memory memory = encode(std::get<data::Features>(batch.fields[0]), context);
  const double share = options.ctc_weight();
  ops::Loss out;
  if (options.has_decoder()) {
    const Tensor states = seq2seq.states(memory, target, context);
    out = ops::projection_loss(states, seq2seq.projection(), ops::make_ids(target.ids),
                               {.smoothing = rule.smoothing, .weight = rule.weight * (1 - share)},
                               context.tape);
    out.total *= 1 - share;
    out.nll *= 1 - share;
  }
  if (!options.has_ctc()) return out;
  const ops::CtcLoss aligned = ops::projection_ctc(
      memory.states, {ctc.weight, ctc.bias}, {memory.rows, labels_without_end(target)},
      {.blank = static_cast<int32_t>(sizes.end_id), .weight = rule.weight * share}, context.tape);
  const double sum = share * std::accumulate(aligned.losses.begin(), aligned.losses.end(), 0.0);
  out.value = out.value ? ops::add(out.value, aligned.value, context.tape) : aligned.value;
  out.total += sum;
  out.nll += sum;
  return out;
}

}  // namespace weft::models
