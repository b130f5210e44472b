// The training options of translation.
#ifndef WEFT_TASKS_TRANSLATION_OPTIONS_H_
#define WEFT_TASKS_TRANSLATION_OPTIONS_H_

#include "weft/data/options.h"
#include "weft/models/seq2seq/seq2seq_options.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/task_options.h"
#include "weft/tasks/translation/objective/objective.h"

namespace weft::tasks {

// Options of the translations evaluated by --valid-metrics.
struct ValidTranslationOptions {
  int64_t beam_size = 1;
  bool undo_bpe = false;

  template <class V>
  void fields(V& v) {
    valid_beam_size_field(v, beam_size);
    v("valid-undo-bpe", undo_bpe,
      {.help = "join subwords marked with @@ before translations are compared",
       .may_change = true});
  }
};

struct TranslationOptions : TaskOptions {
  data::DataOptions data;
  std::string from;
  models::Seq2SeqOptions model;
  ObjectiveOptions objective;
  ValidTranslationOptions valid_translations;

  TranslationOptions() { validation.valid_metrics = {"cross-entropy"}; }

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.fields(v);
    batching.fields(v);
    options::group(v, "Model");
    v("from", from,
      {.help = "encoder-decoder to start from: a model file or a folder of Hugging Face "
               "Transformers; its options and vocabularies are those of the new model, but for the "
               "dropout of Transformers",
       .reads = true});
    model.fields(v);
    objective.fields(v);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(
        v, {.sets = "parallel validation text: a source and a target file, or one file with --tsv",
            .metrics = "cross-entropy|perplexity|bleu|chrf|exact-match|word-error-rate|"
                       "character-error-rate|rouge1|rouge2|rougeL"});
    valid_translations.fields(v);
  }

  static constexpr std::string_view kExamples = "pairs";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const;

  // Throws OptionError for options that contradict those of the model to train.
  void check_model(const models::Seq2SeqOptions& trained) const;
  // Throws OptionError for options that contradict each other or are missing. With --from, those of
  // the model are not known yet.
  void validate() const;

 private:
  void check_start() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OPTIONS_H_
