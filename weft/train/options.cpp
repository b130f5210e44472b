#include "weft/train/options.h"

namespace weft::train {

void TrainOptions::validate() const {
  optimizer.validate();
  schedule.validate();
  if (data.train_sets.empty()) {
    fail<OptionError>("--train-sets", "missing; expected a file for each side of the text");
  }
  if (data.vocabs.size() != 2) {
    fail<OptionError>("--vocabs", "expected two vocabularies, source and target; got {}",
                      data.vocabs.size());
  }
  const size_t sides = data.tsv ? 1 : 2;
  if (!validation.valid_sets.empty() && validation.valid_sets.size() != sides) {
    fail<OptionError>("--valid-sets", "expected {} file{}; got {}", sides, sides == 1 ? "" : "s",
                      validation.valid_sets.size());
  }
  if (validation.valid_sets.empty() && validation.early_stopping > 0) {
    fail<OptionError>("--early-stopping", "needs --valid-sets");
  }
  if (validation.valid_metrics.empty()) {
    fail<OptionError>("--valid-metrics", "expected at least one metric");
  }
  if (model.tied_embeddings_all && data.vocabs[0] != data.vocabs[1]) {
    fail<OptionError>("--tied-embeddings-all",
                      "needs one vocabulary for both sides; got '{}' and '{}'; hint: name the same "
                      "file twice in --vocabs",
                      data.vocabs[0], data.vocabs[1]);
  }
  if (loop.mini_batch_fit != (loop.workspace > 0)) {
    fail<OptionError>(loop.mini_batch_fit ? "--mini-batch-fit" : "--workspace", "needs {}",
                      loop.mini_batch_fit ? "--workspace, the MB to fit into" : "--mini-batch-fit");
  }
  if (loop.gradient_checkpointing && model.type != "transformer") {
    fail<OptionError>("--gradient-checkpointing",
                      "keeps the Transformer's layers alone; expected --type transformer, got {}",
                      model.type);
  }
  if (loop.after.never()) {
    fail<OptionError>("--after", "expected a length of training, as in 10e or 20000u; got 0");
  }
}

}  // namespace weft::train
