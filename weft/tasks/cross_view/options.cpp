#include "weft/tasks/cross_view/options.h"

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

CrossViewTrainOptions::CrossViewTrainOptions() {
  loop.save_freq = options::Period::epochs(1);
  batching.mini_batch_words = 0;
  batching.mini_batch = 64;
  schedule.learn_rate = 0.0005;
  schedule.warmup = 200;
  validation.valid_freq = options::Period::epochs(1);
  validation.valid_metrics = {"error"};
}

void CrossViewTrainOptions::validate() const {
  model.check();
  TaskOptions::validate(CrossViewTrainOptions());
  options::check_scopes(*this);
  check_train_sets(train_sets, "pairs of views, or pictures to cut them from");
  check_averages(*this, model.encoder.transformer);
  if (views.is<data::CroppedPairs>() && model.image_size.empty()) {
    fail<OptionError>("--image-size",
                      "--views crops needs the size of a crop; expected a number "
                      "or two");
  }
  check_validation_unset(*this);
}

data::ViewPairsOptions view_options(const data::ViewSources& views,
                                    const models::CrossViewOptions& model,
                                    const data::ImageShape& shape) {
  data::ViewPairsOptions out{.source = views, .shape = shape, .patch = model.patch_size};
  if (shape.height == 0 && !model.image_size.empty()) {
    out.shape.height = model.image_size.front();
    out.shape.width = model.image_size.back();
  }
  return out;
}

}  // namespace weft::tasks
