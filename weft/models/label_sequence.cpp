#include "weft/models/label_sequence.h"

namespace weft::models {

Seq2Seq make_label_sequence(const ClassifierOptions& options, const ClassifierSizes& sizes) {
  return {with_decoder(options.encoder, options.labels.get<LabelSequence>().dec_depth),
          {.source_vocab = sizes.text.vocab,
           .target_vocab = sizes.labels + 2,
           .begin_id = sizes.labels + 1,
           .end_id = sizes.labels}};
}

data::Batch label_sequence_batch(const data::Batch& batch, std::vector<int32_t> source_ids,
                                 const Seq2Seq& model) {
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  const auto end = static_cast<int32_t>(model.sizes.end_id);
  data::Tokens source{std::move(source_ids), batch.tokens(0).segments}, target;
  target.segments.first = labels.segments.first;
  for (int64_t b = 0; b < labels.examples(); ++b) target.add(labels[b], end);
  data::Batch out;
  out.fields = {std::move(source), std::move(target)};
  out.examples = batch.examples;
  return out;
}

}  // namespace weft::models
