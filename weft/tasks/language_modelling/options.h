// The options of training a language model.
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_OPTIONS_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/data/sequences/training_texts.h"
#include "weft/data/text/vocabulary_options.h"
#include "weft/models/language_model_options.h"
#include "weft/tasks/language_modelling/low_rank_options.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

struct TextDataOptions : data::VocabularyOptions {
  std::vector<std::string> train_sets;
  std::string format = "auto";
  std::string loss_on = "completions";
  int64_t max_length = 512;

  template <class V>
  void fields(V& v) {
    v("train-sets", train_sets,
      {.help = "training text, plain or .gz, or - for standard input",
       .letter = 't',
       .required = true,
       .reads = true,
       .may_change = true});
    v("format", format,
      {.help = "documents: each file is one text; lines: each line is one; jsonl: each line is an "
               "object of JSON, {\"text\"}, {\"prompt\", \"completion\"} or {\"messages\"}; auto: "
               "jsonl if the name ends in .jsonl or .jsonl.gz, else documents",
       .choices = "auto|documents|lines|jsonl"});
    v("loss-on", loss_on,
      {.help = "which tokens of JSONL have a loss: completions and what the assistant says, or all",
       .choices = "completions|all"});
    VocabularyOptions::fields(v);
    v("max-length", max_length,
      {.help =
           "longest sequence, in tokens; a longer text is cut into several, a longer completion "
           "or conversation is truncated",
       .min = 1,
       .max = 1e6});
  }

  data::TextFormat text_format() const;
};

struct LanguageModellingOptions : TaskOptions {
  TextDataOptions data;
  std::string from;
  LowRankOptions low_rank;
  models::LanguageModelOptions model;
  double label_smoothing = 0;

  LanguageModellingOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.fields(v);
    batching.fields(v);
    options::group(v, "Model");
    v("from", from,
      {.help = "language model to start from: a model file, a folder of Hugging Face Transformers "
               "or a GGUF file; its options, vocabulary and chat template are those of the new "
               "model, dropout excepted",
       .reads = true});
    low_rank.fields(v);
    model.fields(v);
    options::group(v, "Objective");
    label_smoothing_field(v, label_smoothing);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v, {.sets = "text to validate on, in the format of --train-sets",
                          .metrics = "cross-entropy|perplexity|bits-per-byte"});
  }

  static constexpr std::string_view kExamples = "lines";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const { return count_lines(data.train_sets, enough); }

  // The options of the model that --from names, with the dropout of this training.
  models::LanguageModelOptions started_from(models::LanguageModelOptions found) const;
  // Throws OptionError for sequences that are longer than the model's context.
  void check_length(const models::LanguageModelOptions& trained) const;
  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;

 private:
  void check_start() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_OPTIONS_H_
