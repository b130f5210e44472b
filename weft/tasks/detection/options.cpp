#include "weft/tasks/detection/options.h"

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

data::LabelledBoxesOptions BoxFileOptions::params(const data::ImageShape& shape,
                                                  int64_t patch) const {
  return {.image_folder = image_folder,
          .bad_boxes = data::bad_boxes_named(bad_boxes),
          .shape = shape,
          .patch = patch,
          .bad_files = bad_files.params()};
}

models::SetLossParams BoxLossOptions::params() const {
  return {.l1_cost = l1_weight,
          .giou_cost = giou_weight,
          .l1_weight = l1_weight,
          .giou_weight = giou_weight,
          .no_object_weight = no_object_weight};
}

// Batches of pictures, which all have as many patches.
DetectionOptions::DetectionOptions() {
  loop.save_freq = options::Period::epochs(1);
  batching.mini_batch = 32;
  batching.mini_batch_words = 0;
  schedule.learn_rate = 0.0005;
  schedule.warmup = 500;
  validation.valid_freq = options::Period::epochs(1);
  validation.valid_metrics = {"ap50"};
}

void DetectionOptions::validate() const {
  model.check();
  TaskOptions::validate(DetectionOptions());
  options::check_scopes(*this);
  check_train_sets(train_sets, "pictures with boxes");
  check_averages(*this, model.transformer);
  check_validation_unset(*this);
}

}  // namespace weft::tasks
