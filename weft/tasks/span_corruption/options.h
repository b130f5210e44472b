// The options of training an encoder-decoder on plain text.
#ifndef WEFT_TASKS_SPAN_CORRUPTION_OPTIONS_H_
#define WEFT_TASKS_SPAN_CORRUPTION_OPTIONS_H_

#include <string>

#include "weft/models/seq2seq/seq2seq_options.h"
#include "weft/tasks/line_data_options.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/span_corruption/corruption.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

struct SpanCorruptionOptions : TaskOptions {
  LineDataOptions data;
  int64_t sentinels = 100;
  std::string from;
  models::Seq2SeqOptions model;
  CorruptionOptions corruption;
  double label_smoothing = 0;

  SpanCorruptionOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.fields(v);
    v("sentinels", sentinels,
      {.help =
           "symbols <extra_id_0>, <extra_id_1>, ... of a vocabulary to be made, which stand for "
           "missing spans; a sequence has no more spans than its vocabulary has of these",
       .min = 1,
       .max = 10000});
    batching.fields(v);
    options::group(v, "Model");
    v("from", from,
      {.help = "encoder-decoder to start from: a model file or a folder of Hugging Face "
               "Transformers with sentinels in one vocabulary for both sides; its options and "
               "vocabulary are those of the new model, but for the dropout of Transformers",
       .reads = true});
    model.fields(v);
    options::group(v, "Objective");
    corruption.fields(v);
    label_smoothing_field(v, label_smoothing);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v, {.sets = "lines of text to validate on, always with the same spans",
                          .metrics = "cross-entropy|perplexity"});
  }

  static constexpr std::string_view kExamples = "lines";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const { return count_lines(data.train_sets, enough); }

  // The text of the vocabulary, with its sentinels.
  data::VocabularyText vocabulary_text() const;
  // Throws OptionError for options that contradict those of the model to train.
  void check_model(const models::Seq2SeqOptions& trained) const;
  // Throws OptionError for options that contradict each other or are missing. With --from, those of
  // the model are not known yet.
  void validate() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_SPAN_CORRUPTION_OPTIONS_H_
