#include "weft/tasks/detection/detection.h"

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/predict/detection/objects.h"
#include "weft/tasks/detection/augmented_pictures.h"
#include "weft/tasks/picture_patches.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

data::ImageShape shape_of(const models::ImageInput& input) {
  if (input.image_size.empty()) return {};
  return {.height = input.image_size.front(), .width = input.image_size.back()};
}

}  // namespace

Detection::Detection(Options options) : SessionTask(std::move(options)) {}

void Detection::check_ranks() const { tasks::check_ranks(options_.model.transformer); }

void Detection::make_model(train::Group&, bool resumes) {
  models::ImageInput& image = options_.model.image;
  const data::LabelledBoxesOptions params =
      options_.files.params(shape_of(image), image.patch_size);
  data::LabelSet labels = data::collect_box_labels(options_.train_sets, params);
  const auto training = std::make_shared<data::LabelledBoxes>(options_.train_sets, params, labels);
  log::info("{}", training->report());
  fit_patches(image.patch_size, training->shape(), image.has_stem(), kPatchesOfObjects);
  training->set_patch(image.patch_size);
  fit_positions(options_.model.position, options_.model.encoder(),
                training->shape().patches(image.patch_size));
  training_ = training;
  session_ = model_file::new_detector(options_.model,
                                      {.labels = std::move(labels),
                                       .image = training_->shape(),
                                       .statistics = training_->statistics()},
                                      static_cast<uint64_t>(options_.loop.seed));
  log::info("model: {} parameters, {} labels", session_.parameters.size(), session_.labels.size());
  if (!resumes) start_from_pretrained(options_.pretrained, session_.model);
  if (training_->most_boxes() > options_.model.query_count) {
    log::warn("a picture has {} boxes, of which --query-count {} are found at most",
              training_->most_boxes(), options_.model.query_count);
  }
}

void Detection::read_data(train::Group& group) {
  if (options_.validation.valid_sets.empty() || !group.is_first()) return;
  validation_ = std::make_unique<data::LabelledBoxes>(
      options_.validation.valid_sets,
      options_.files.params(training_->shape(), options_.model.image.patch_size), session_.labels);
  log::info("{}", validation_->report());
}

int64_t Detection::targets(int64_t example) const {
  const int64_t boxes = training_->box_count(example);
  return boxes == 0 && options_.loss.count_empty_pictures ? 1 : boxes;
}

uint64_t Detection::fingerprint() const {
  Hash hash;
  hash.add(training_->fingerprint());
  hash.add(session_.labels.fingerprint());
  return hash.value();
}

ops::Loss Detection::loss(const train::MicroBatch& batch, const nn::Context& context) {
  data::Batch examples = augmented(batch.batch,
                                   {.options = options_.augmentation,
                                    .shape = session_.model.dims.image,
                                    .statistics = session_.statistics},
                                   context);
  examples.fields[0] =
      data::patches_of(std::get<data::Features>(examples.fields[0]), session_.patches());
  return trained_.loss(examples, options_.loss.params(), batch.weight, context);
}

std::vector<train::Metric> Detection::validate() {
  const metrics::PrecisionReport found = predict::evaluate_objects(
      predict::compare_objects(session_, *validation_), session_.labels.size());
  if (options_.valid_report) log::info("\n{}", found.text(session_.labels.names()));
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    out.push_back({.name = metric, .value = metric == "ap50" ? found.at_50 : found.mean});
  }
  return out;
}

}  // namespace weft::tasks
