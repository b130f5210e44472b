// The options of training a classifier.
#ifndef WEFT_TASKS_CLASSIFICATION_OPTIONS_H_
#define WEFT_TASKS_CLASSIFICATION_OPTIONS_H_

#include <optional>

#include "weft/data/bad_files.h"
#include "weft/data/images/augmentation.h"
#include "weft/models/classifier_options.h"
#include "weft/tasks/classification/label_weights.h"
#include "weft/tasks/labels/options.h"
#include "weft/tasks/labels/start.h"
#include "weft/tasks/labels/teacher_options.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

// Which field of a text is its labels.
struct LineLabelOptions {
  std::optional<int64_t> label_field = {};
  std::optional<int64_t> pair_field = {};
  std::string separators = " ";

  template <class V>
  void fields(V& v) {
    v("label-field", label_field,
      {.help = "the field that is the label; auto: with a trained model that of its training, else "
               "0",
       .min = 0,
       .max = 1e6});
    v("pair-field", pair_field,
      {.help =
           "the field that is a second text, of pairs of texts; auto: with a trained model that "
           "of its training, else none",
       .min = 0,
       .max = 1e6});
  }
  template <class V>
  void several_fields(V& v) {
    v("label-separators", separators,
      {.help = "characters between several labels of a text, of which it may have none, or "
               "between its numbers"});
  }

  // Takes what is not given, of these and of the layout, from a model's training.
  void follow(const data::LabelledFields& trained, LabelledTextLayout& layout);
  // What is not given has its default. Throws OptionError for a layout that has no such field, and
  // where several labels have nothing between them.
  data::LabelledFields read_by(const LabelledTextLayout& layout,
                               const models::LabelKinds& labels) const;
};

struct ClassificationLossOptions {
  double label_smoothing = 0;
  double huber_delta = 0;
  std::vector<std::string> class_weights = {};
  bool contrastive = false;
  std::optional<int64_t> weight_field = {};

  template <class V>
  void fields(V& v, const models::LabelKinds& labels) {
    options::group(v, "Loss");
    options::belongs_to<models::OneLabel, models::LabelSequence>(
        v, "labels", &labels.selection(), [&] { label_smoothing_field(v, label_smoothing); });
    options::belongs_to<models::OneLabel>(v, "labels", &labels.selection(), [&] {
      v("weight-field", weight_field,
        {.help = "the field of --train-sets that is the weight of the text, by which its loss is "
                 "multiplied; auto: none, all weigh 1",
         .min = 0,
         .max = 1e6});
    });
    options::belongs_to<models::OneLabel, models::SeveralLabels>(
        v, "labels", &labels.selection(), [&] {
          v("class-weights", class_weights,
            {.help =
                 "how much the texts of a label count in the loss: balanced, in inverse proportion "
                 "to their number, or LABEL=WEIGHT for each label whose weight is not 1; with "
                 "--labels several, what the label counts where a text has it"});
          v("contrastive", contrastive,
            {.help = "for few texts: the encoder learns which texts of a mini-batch share labels, "
                     "and the output layer learns labels from its vectors (SetFit; Tunstall et "
                     "al. 2022, arXiv 2209.11055)"});
        });
    options::belongs_to<models::NumberLabels>(v, "labels", &labels.selection(), [&] {
      v("huber-delta", huber_delta,
        {.help = "errors beyond this many standard deviations of the numbers count in proportion, "
                 "not by their square (Huber 1964); 0: squared errors",
         .min = 0,
         .max = 1e6});
    });
  }
};

struct ClassificationOptions : TaskOptions {
  static constexpr train::EarlierDefault kEarlierDefaults[] = {{"patch-size", "4"},
                                                               {"mini-batch-words", "1024"},
                                                               {"mini-batch", "0"},
                                                               {"max-positions", "512"}};

  LabelledDataOptions data;
  LineLabelOptions labels;
  StartOptions start;
  models::ClassifierOptions model;
  data::BadFileOptions bad_files;
  data::AugmentationOptions augmentation;
  double mix_up = 0;
  ClassificationLossOptions loss;
  LabelTeacherOptions teacher;
  bool calibrate = false;
  bool valid_report = false;

  ClassificationOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.example_fields(v);
    options::belongs_to<models::TextInput>(v, "input", &model.input.selection(),
                                           [&] { data.text_fields(v); });
    options::belongs_to<models::ImageInput, models::FeatureInput>(
        v, "input", &model.input.selection(), [&] { bad_files.fields(v); });
    options::belongs_to<models::ImageInput>(v, "input", &model.input.selection(), [&] {
      augmentation.fields(v);
      v("mix-up", mix_up,
        {.help = "pictures of training are averaged with others, and so are their losses; the "
                 "shares are of the beta distribution of this parameter, 0: none (Zhang et al. "
                 "2018, arXiv 1710.09412)",
         .min = 0,
         .max = 1});
    });
    labels.fields(v);
    options::belongs_to<models::SeveralLabels, models::LabelSequence, models::NumberLabels>(
        v, "labels", &model.labels.selection(), [&] { labels.several_fields(v); });
    batching.fields(v);
    options::group(v, "Start");
    options::belongs_to<models::TextInput>(v, "input", &model.input.selection(),
                                           [&] { start.fields(v); });
    model.fields(v);
    loss.fields(v, model.labels);
    options::belongs_to<models::TextInput>(v, "input", &model.input.selection(),
                                           [&] { teacher.fields(v); });
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v, {.sets = "labelled text to validate on, as --train-sets",
                          .metrics = "auto|cross-entropy|accuracy|micro-f1|macro-f1|rmse|mae|"
                                     "r2|pearson|spearman"});
    options::belongs_to<models::OneLabel, models::SeveralLabels>(
        v, "labels", &model.labels.selection(), [&] {
          v("calibrate", calibrate,
            {.help = "divide scores by the temperature of the lowest cross-entropy on "
                     "--valid-sets, so that probabilities are what they say (Guo et al. 2017, "
                     "arXiv 1706.04599)"});
        });
    options::belongs_to<models::OneLabel, models::SeveralLabels, models::LabelSequence>(
        v, "labels", &model.labels.selection(), [&] {
          v("valid-report", valid_report,
            {.help = "log precision, recall and F1 of each label at each validation",
             .may_change = true});
        });
  }

  // The options of a classifier with the encoder of --from, whose options are `found`.
  models::ClassifierOptions started_from(const models::TextEncoderOptions& found) const;
  // Those of a classifier that goes on from one with the options `found`. Throws OptionError for
  // other labels or another pooling.
  models::ClassifierOptions gone_on_from(const models::ClassifierOptions& found) const;
  // Which fields are read.
  data::LabelledFields read_fields() const { return labels.read_by(data.text, model.labels); }
  // With the fields that are read, and the metric that --valid-metrics auto stands for: accuracy,
  // or of numbers the root of the mean squared error.
  ClassificationOptions completed() const;
  static constexpr std::string_view kExamples = "examples";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const;

  // Throws OptionError for options that contradict each other or are missing.
  // Throws OptionError for --train-sets of another --input than text where text is selected.
  void check_given() const;
  void validate() const;

 private:
  void check_input() const;
  void check_contrastive() const;
  void check_teacher() const;
  void check_weights() const;
  void check_metrics() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_OPTIONS_H_
