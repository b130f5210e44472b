#include "weft/tasks/transcription/options.h"

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

// A batch is bounded by sounds: its tokens say little of its size.
TranscriptionOptions::TranscriptionOptions() {
  loop.save_freq = options::Period::epochs(1);
  batching.mini_batch_words = 0;
  batching.mini_batch = 32;
  schedule.learn_rate = 0.001;
  schedule.warmup = 1000;
  validation.valid_freq = options::Period::epochs(1);
  validation.valid_metrics = {"word-error-rate"};
  model.encoder.enc_depth = 4;
}

void TranscriptionOptions::validate() const {
  model.check();
  TaskOptions::validate(TranscriptionOptions());
  options::check_scopes(*this);
  data.log_mel.check();
  check_train_sets(data.train_sets, "a list of sounds and their texts");
  if (data.vocabs.size() != 1) {
    fail<OptionError>("--vocabs", "expected one vocabulary, that of the texts; got {}",
                      data.vocabs.size());
  }
  check_averages(*this, model.encoder.transformer);
  check_gradient_checkpointing(*this, model.encoder.is_transformer(), model.encoder.type.name());
  check_validation_unset(*this);
}

}  // namespace weft::tasks
