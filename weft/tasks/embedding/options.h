// The options of training an embedder.
#ifndef WEFT_TASKS_EMBEDDING_OPTIONS_H_
#define WEFT_TASKS_EMBEDDING_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/data/text/open_vocabularies.h"
#include "weft/data/text/vocabulary_options.h"
#include "weft/models/embedder_options.h"
#include "weft/tasks/distillation/options.h"
#include "weft/tasks/distillation/taken_layers.h"
#include "weft/tasks/embedding/objective.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

struct TextGroupDataOptions : data::VocabularyOptions {
  std::vector<std::string> train_sets;
  std::string format = "texts";
  int64_t max_length = 256;

  bool has_scores() const { return format == "scores"; }
  // The text that a vocabulary is made of, with that of these files of plain text.
  data::VocabularyText vocabulary_text(const std::vector<std::string>& unlabelled) const;

  template <class V>
  void fields(V& v) {
    v("train-sets", train_sets,
      {.help = "lines of texts separated by tabs, plain or .gz, or - for standard input",
       .letter = 't',
       .reads = true,
       .may_change = true});
    v("format", format,
      {.help = "texts: two that belong together, and any number of others that do not belong to "
               "the first; scores: two texts and a number, how near they are",
       .choices = "texts|scores"});
    VocabularyOptions::fields(v);
    v("max-length", max_length,
      {.help = "longest text, in tokens without special symbols, or that of --from where it is "
               "less; longer ones are cropped",
       .min = 1,
       .max = 1e6});
  }
};

struct EmbedderTeacherOptions : TeacherOptions {
  std::vector<std::string> unlabelled = {};

  template <class V>
  void fields(V& v) {
    options::group(v, "Distillation");
    teacher_field(v,
                  "embedder, as a model file or a folder of sentence-transformers or Hugging Face "
                  "Transformers, whose vectors, of length one, are learned beside --loss: the "
                  "squared distance to them (Reimers and Gurevych 2020, arXiv 2004.09813); it "
                  "reads the text with its own tokeniser");
    weight_field(v);
    unlabelled_field(v, unlabelled,
                     "with --teacher, files of plain text, a text a line, plain or .gz, or - for "
                     "standard input: more examples, of which the teacher's loss is the only one; "
                     "--train-sets may then be left out");
  }
};

struct SentenceEmbeddingOptions : TaskOptions {
  TextGroupDataOptions data;
  std::string from;
  std::vector<int64_t> take_layers = {};
  models::EmbedderOptions model;
  EmbeddingObjective objective;
  EmbedderTeacherOptions teacher;
  int64_t gradient_cache = 0;

  SentenceEmbeddingOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.fields(v);
    batching.fields(v);
    v("gradient-cache", gradient_cache,
      {.help = "number of texts to encode at a time, and again in backward (GradCache; Gao et al. "
               "2021, arXiv 2101.06983): with a larger mini-batch only its vectors and their "
               "products take more memory; 0: encode the whole mini-batch at once",
       .min = 0,
       .max = 1e9});
    options::group(v, "Model");
    v("from", from,
      {.help = "embedder to start from: a model file, a folder of sentence-transformers or "
               "Hugging Face Transformers, or a GGUF file; its options and vocabulary are those of "
               "the new model, dropout excepted",
       .reads = true});
    take_layers_field(v, take_layers);
    model.fields(v);
    objective.fields(v);
    teacher.fields(v);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v, {.sets = "lines to validate on, in the format of --train-sets",
                          .metrics = "auto|accuracy|mrr|ndcg|spearman|pearson|loss"});
  }

  static constexpr std::string_view kExamples = "lines";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const;

  // With `auto` decided.
  SentenceEmbeddingOptions completed() const;
  // The options of the model that --from names, with the dropout of this training.
  models::EmbedderOptions started_from(models::EmbedderOptions found) const;
  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;

 private:
  void check_start() const;
  void check_unlabelled() const;
  void check_metrics() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_EMBEDDING_OPTIONS_H_
