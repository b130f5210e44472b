// An encoder of text, of pictures or of sequences of vectors with an output layer on one vector of
// each example, or, of text, with a decoder of labels.
#ifndef WEFT_MODELS_CLASSIFIER_H_
#define WEFT_MODELS_CLASSIFIER_H_

#include "weft/models/classifier_options.h"
#include "weft/models/encoders/text_encoder.h"
#include "weft/models/encoders/vector_encoder.h"
#include "weft/models/token_decoder.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

// What of its loss is not in the batch.
struct ClassifierLoss {
  double smoothing = 0;             // of one label
  double huber = 0;                 // of numbers, the delta of their loss; 0: squared error
  double weight = 1;                // of each example; 1 / examples makes the loss a mean
  ops::RowWeights label_weights{};  // [labels]; null: 1 each
};

// The weight of each example: that of its label times its share, where these are given, else null.
ops::RowWeights example_weights(const std::vector<int32_t>& labels,
                                const ops::RowWeights& label_weights,
                                const std::vector<float>& shares = {});

struct Classifier {
  ClassifierOptions options;
  ClassifierDims dims;
  std::variant<TextEncoder, VectorEncoder> encoder;
  // Of one label, or several that are decided one by one:
  nn::Pooling pooling;
  nn::HeadLayer head;
  nn::Dropout pooled_dropout;
  nn::Linear output;  // [labels, C]
  // Of a sequence of labels, whose tokens are the labels and then the end and the begin symbol:
  TokenDecoder decoder;

  Classifier() = default;
  // Shapes only; nn::bind() gives them memory. Throws OptionError where options contradict each
  // other.
  Classifier(const ClassifierOptions& options, const ClassifierDims& dims);

  // The scores of each label, [B, labels], where labels are no sequence. The input is Tokens, or
  // Features: the patches of
  // pictures, or vectors.
  Tensor logits(const data::Field& input, const nn::Context& context) const;
  // The same of texts by their embeddings with positions, [N, D] (TextEncoder::embed).
  Tensor logits(const Tensor& embeddings, const ops::LayoutPtr& rows,
                const nn::Context& context) const;
  // What the output layer reads, [B, C], and the same before dropout.
  Tensor features(const data::Field& input, const nn::Context& context) const;
  Tensor vectors(const data::Field& input, const nn::Context& context) const;
  // The vectors of examples, of which the first is `first` in the update, with dropout.
  Tensor dropped(const Tensor& vectors, int32_t first, const nn::Context& context) const;
  // Of a sequence of labels: the labels of each example with their end, and the decoder's states
  // [M, D] at these.
  struct LabelStates {
    std::vector<int32_t> ids;  // [M]
    Tensor states;
  };
  LabelStates label_states(const data::Field& input, const data::Labels& labels,
                           const nn::Context& context) const;
  // Of examples, field 0, with their labels, field 1, and with field 2 where they are averages of
  // two (Labels of the other, whose values are the share of the one): of one, -w log p(label),
  // against smoothed targets, with w the label's weight times that of the example, the values of
  // field 1; of several the mean over labels of -w y
  // log p - (1 - y) log(1 - p); of a sequence the sum of -log p over its labels and its end; of
  // numbers, as standardised, the mean over them of the squared or Huber's error.
  ops::Loss loss(const data::Batch& batch, const ClassifierLoss& params,
                 const nn::Context& context) const;
  // The same of one label or several by the features of the examples.
  ops::Loss loss_of_features(const Tensor& features, const data::Batch& batch,
                             const ClassifierLoss& params, ops::Tape* tape) const;

  int32_t sequence_end() const { return static_cast<int32_t>(dims.labels); }
  int32_t sequence_begin() const { return sequence_end() + 1; }

  // Those of a sequence of labels are in the order of a translator.
  template <class V>
  void fields(V& v) {
    if (options.is_sequence()) {
      TextEncoder& text = std::get<TextEncoder>(encoder);
      v("model.encoder.embed_tokens.weight", text.embedding.table);
      v("model.decoder.embed_tokens.weight", decoder.embedding.table);
      v("model.encoder.embed_positions", text.embedding.position);
      v("model.decoder.embed_positions", decoder.embedding.position);
      v("model.encoder", text.encoder);
      v("model.decoder", decoder.layers);
      v("lm_head.weight", decoder.output_weight);
      v("final_logits_bias", decoder.output_bias);
      return;
    }
    std::visit([&](auto& e) { e.fields(v); }, encoder);
    v("pooling", pooling);
    v("head", head);
    v("classifier", output);
  }

 private:
  TokenDecoder make_decoder(nn::RngStreams& dropouts) const;
  ops::Loss sequence_loss(const data::Batch& batch, const ClassifierLoss& params,
                          const nn::Context& context) const;
  nn::Memory encode(const data::Field& input, const nn::Context& context) const;
  Tensor pooled(const nn::Memory& states, const nn::Context& context) const;
  Tensor features_of(const nn::Memory& states, const nn::Context& context) const;
  ops::Loss number_loss(const data::Batch& batch, const ClassifierLoss& params,
                        const nn::Context& context) const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_CLASSIFIER_H_
