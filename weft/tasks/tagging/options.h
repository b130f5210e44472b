// The options of training a tagger.
#ifndef WEFT_TASKS_TAGGING_OPTIONS_H_
#define WEFT_TASKS_TAGGING_OPTIONS_H_

#include <span>
#include <string>
#include <vector>

#include "weft/data/labels/labelled_corpus.h"
#include "weft/models/tagger_options.h"
#include "weft/tasks/labels/options.h"
#include "weft/tasks/labels/start.h"
#include "weft/tasks/labels/teacher_options.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

// Which fields of a text are labels.
struct TagFieldOptions {
  std::vector<int64_t> word_labels;
  std::vector<int64_t> text_labels;

  template <class V>
  void fields(V& v) {
    v("word-labels", word_labels,
      {.help = "the fields with a label for each word, several for several labels of each; none: "
               "with a trained model those of its training, else 1, or 3 for conllu, universal "
               "parts of speech",
       .min = 0,
       .max = 1e6});
    v("text-labels", text_labels,
      {.help = "the fields with one label of the whole text, as an intent beside slots",
       .min = 0,
       .max = 1e6});
  }
  // Takes what is not given, of these and of the layout, from a model's training.
  void follow(const data::LabelledFields& trained, LabelledTextLayout& layout);
  // What is not given has the default of the format. Throws OptionError for a field that is read
  // twice.
  data::LabelledFields read_by(const LabelledTextLayout& layout) const;
  static int64_t text_field(const LabelledTextLayout& layout);
};

struct TaggingObjectiveOptions {
  double label_smoothing = 0;
  std::vector<double> label_weights;

  template <class V>
  void fields(V& v) {
    options::group(v, "Objective");
    label_smoothing_field(v, label_smoothing);  // without a CRF
    v("label-weights", label_weights,
      {.help = "what the labels of each field of --word-labels, then of --text-labels, count in "
               "the loss; none: 1 each",
       .min = 0,
       .max = 1e6});
  }
  // Of each column.
  std::vector<double> weights(size_t columns) const;
};

struct TaggingOptions : TaskOptions {
  static constexpr train::EarlierDefault kEarlierDefaults[] = {{"valid-metrics", "accuracy"}};

  LabelledDataOptions data;
  TagFieldOptions labels;
  std::string invalid_tags = "repair";
  int64_t char_min_count = 2;
  StartOptions start;
  models::TaggerOptions model;
  TaggingObjectiveOptions objective;
  LabelTeacherOptions teacher;

  TaggingOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.fields(v);
    labels.fields(v);
    v("invalid-tags", invalid_tags,
      {.help = "what becomes of a tag I-X of BIO that follows neither B-X nor I-X: B-X, an error "
               "with file and line, or what it is",
       .choices = "repair|refuse|keep",
       .alias = "misplaced-tags"});
    model.characters.for_any(v, [&] {
      v("char-min-count", char_min_count,
        {.help = "a character that the training text has less often is read as an unknown one",
         .min = 1});
    });
    batching.fields(v);
    options::group(v, "Start");
    start.fields(v);
    model.fields(v);
    objective.fields(v);
    teacher.fields(v);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v,
                      {.sets = "labelled text to validate on, in the format of --train-sets",
                       .metrics = "auto|cross-entropy|accuracy|span-f1|text-accuracy|exact-match"});
  }
  // Replaces --valid-metrics auto by the metrics it stands for: where labels of words mark spans,
  // span-f1 and accuracy, else accuracy. `words` are the sets of labels of words.
  void choose_metrics(std::span<const data::LabelSet> words);

  // Which fields are read, and how the text is.
  data::LabelledFields read_fields() const { return labels.read_by(data.text); }
  data::LabelledCorpusOptions corpus() const;
  // The options of a tagger with the encoder of --from, whose options are `found`.
  models::TaggerOptions started_from(const models::TextEncoderOptions& found) const;
  // Those of a tagger that goes on from one with the options `found`. Throws OptionError for
  // another head.
  models::TaggerOptions gone_on_from(const models::TaggerOptions& found) const;
  // With the fields that are read.
  TaggingOptions with_fields() const;
  static constexpr std::string_view kExamples = "texts";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const;

  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TAGGING_OPTIONS_H_
