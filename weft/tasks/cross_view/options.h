// The options of training a model of two views.
#ifndef WEFT_TASKS_CROSS_VIEW_OPTIONS_H_
#define WEFT_TASKS_CROSS_VIEW_OPTIONS_H_

#include "weft/data/views/view_pairs.h"
#include "weft/models/cross_view_options.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

struct CrossViewTrainOptions : TaskOptions {
  static constexpr train::EarlierDefault kEarlierDefaults[] = {{"patch-size", "8"},
                                                               {"max-positions", "512"}};

  std::vector<std::string> train_sets;
  data::BadFileOptions bad_files;
  data::ViewSources views;
  models::CrossViewOptions model;

  CrossViewTrainOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    v("train-sets", train_sets,
      {.help = "training pairs, or pictures that they are cut from, as --views says",
       .letter = 't',
       .required = true,
       .reads = true,
       .may_change = true});
    bad_files.fields(v);
    options::choice(v, "views", views, {.help = "where pairs of views come from"});
    batching.fields(v);
    model.fields(v);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v, {.sets = "pairs or pictures to validate on, as --train-sets",
                          .metrics = "error|error-without-second"});
  }

  static constexpr std::string_view kExamples = "examples";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const;

  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;
};

// How views are read for a model of these sizes; what is 0 of them is that of the first picture.
data::ViewPairsOptions view_options(const data::ViewSources& views,
                                    const models::CrossViewOptions& model,
                                    const data::ImageShape& shape);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CROSS_VIEW_OPTIONS_H_
