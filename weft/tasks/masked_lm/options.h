// The options of training a masked language model.
#ifndef WEFT_TASKS_MASKED_LM_OPTIONS_H_
#define WEFT_TASKS_MASKED_LM_OPTIONS_H_

#include "weft/models/masked_lm/options.h"
#include "weft/tasks/labels/start.h"
#include "weft/tasks/line_data_options.h"
#include "weft/tasks/masked_lm/masking.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

struct MaskedLmTrainingOptions : TaskOptions {
  LineDataOptions data;
  StartOptions start;
  models::MaskedLmOptions model;
  MaskingOptions masking;
  double label_smoothing = 0;

  MaskedLmTrainingOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.fields(v);
    batching.fields(v);
    options::group(v, "Model");
    start.fields(v);
    model.fields(v);
    options::group(v, "Objective");
    masking.fields(v);
    label_smoothing_field(v, label_smoothing);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v, {.sets = "lines of text to validate on, always with the same masks",
                          .metrics = "cross-entropy|perplexity|accuracy"});
  }

  static constexpr std::string_view kExamples = "lines";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const { return count_lines(data.train_sets, enough); }

  // The options of a model that starts from one with `found`. Throws OptionError for options of the
  // head that differ from those that are given.
  models::MaskedLmOptions gone_on_from(models::MaskedLmOptions found) const;
  // The same of a model that has an encoder alone.
  models::MaskedLmOptions started_from(const models::TextEncoderOptions& found) const;
  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_MASKED_LM_OPTIONS_H_
