#include "weft/tasks/training_checks.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/nn/attention/kinds.h"

namespace weft::tasks {
namespace {

constexpr std::string_view kDropoutOptions[] = {"transformer-dropout",
                                                "transformer-dropout-attention",
                                                "transformer-dropout-ffn",
                                                "drop-path",
                                                "dropout-rnn",
                                                "word-dropout"};

}  // namespace

bool is_dropout_option(std::string_view name) {
  return std::ranges::find(kDropoutOptions, name) != std::end(kDropoutOptions);
}

nn::TransformerOptions with_dropout_of(nn::TransformerOptions found,
                                       const nn::TransformerOptions& given) {
  found.dropout = given.dropout;
  found.drop_path = given.drop_path;
  found.attention.dropout = given.attention.dropout;
  found.feed_forward.dropout = given.feed_forward.dropout;
  return found;
}

void check_train_sets(const std::vector<std::string>& files, std::string_view expected) {
  if (files.empty()) fail<OptionError>("--train-sets", "missing; expected {}", expected);
}

void check_ranks(const nn::TransformerOptions& layers) {
  if (layers.norm.kind.is<nn::BatchNormOptions>()) {
    fail<OptionError>("--norm-kind",
                      "batch norm needs the statistics of the whole batch, which is split over "
                      "ranks; expected layer or rms, or one rank");
  }
  const auto* clustered = layers.attention.kind.choice().get_if<nn::ClusteredOptions>();
  if (clustered != nullptr && clustered->clustering.is<nn::CentroidOptions>()) {
    fail<OptionError>("--attention-clustering",
                      "centroids need the statistics of the whole batch, which is split over "
                      "ranks; expected hash, or one rank");
  }
}

void check_averages(const train::TrainOptions& o, const nn::TransformerOptions& layers) {
  if (!layers.norm.kind.is<nn::BatchNormOptions>() || !o.averages()) return;
  fail<OptionError>(
      o.loop.average_checkpoints > 1  ? "--average-checkpoints"
      : o.optimizer.average_share > 0 ? "--average-share"
                                      : "--exponential-smoothing",
      "does not average the running statistics of batch norms; expected --norm-kind layer or rms");
}

void check_gradient_checkpointing(const train::TrainOptions& o, bool is_transformer,
                                  std::string_view type) {
  if (!o.loop.gradient_checkpointing || is_transformer) return;
  fail<OptionError>("--gradient-checkpointing",
                    "is implemented for Transformer layers; expected --type transformer, got {}",
                    type);
}

void check_first_pooling(const models::EncoderOptions& encoder) {
  if (encoder.type.is<models::CnnEncoderType>()) {
    fail<OptionError>(
        "--pooling",
        "first is not for --type cnn, whose first state depends on the rows beside it "
        "alone; expected mean, max or attention, or --type transformer");
  }
  if (encoder.type.is<models::RnnEncoderType>() && !encoder.is_bidirectional()) {
    fail<OptionError>(
        "--pooling",
        "first is not for --type rnn with --enc-type unidirectional, whose first state "
        "depends on the first row alone; expected mean, max or attention, or --enc-type "
        "bidirectional");
  }
}

}  // namespace weft::tasks
