#include "weft/tasks/cross_view/cross_view.h"

#include "weft/core/log.h"
#include "weft/predict/cross_view/view_predictors.h"
#include "weft/tasks/picture_patches.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
CrossView::CrossView(Options options) : SessionTask(std::move(options)) {}

double CrossView::mask_ratio() const {
  return options_.model.objective.get<models::CompletionObjective>().mask_ratio;
}

void CrossView::check_ranks() const { tasks::check_ranks(options_.model.encoder.transformer); }

data::ViewPairsOptions CrossView::pair_options(const data::ImageShape& shape) const {
  data::ViewPairsOptions out = view_options(options_.views, options_.model, shape);
  out.bad_files = options_.bad_files.params();
  return out;
}

void CrossView::make_model(train::Group&, bool resumes) {
  std::unique_ptr<data::ViewPairs> training =
      data::read_view_pairs(options_.train_sets, pair_options({}));
  log::info("{}", training->report());
  int64_t& patch = options_.model.patch_size;
  fit_patches(patch, training->shape(), false, kPatchesOfLabels);
  training->set_patch(patch);
  nn::PositionOptions& position = options_.model.encoder.position;
  fit_positions(position, options_.model.encoder, training->shape().patches(patch));
  training_ = std::move(training);
  model_file::CrossViewAssets assets{
      .dims = {.image = training_->shape()}, .pixels = training_->statistics(), .numbers = {}};
  if (!options_.model.is_completion()) {
    assets.dims.numbers = training_->numbers();
    assets.numbers = training_->number_statistics();
  }
  session_ =
      model_file::new_cross_view(options_.model, assets, static_cast<uint64_t>(options_.loop.seed));
  log::info("model: {} parameters", session_.parameters.size());
  if (!resumes) start_from_pretrained(options_.pretrained, session_.model);
}

void CrossView::read_data(train::Group& group) {
  const std::vector<std::string>& sets = options_.validation.valid_sets;
  if (sets.empty() || !group.is_first()) return;
  validation_ = data::read_view_pairs(sets, pair_options(training_->shape()));
  log::info("{}", validation_->report());
  if (options_.model.is_completion() || validation_->numbers() == training_->numbers()) return;
  fail<FormatError>(sets.front(), "{} numbers of a pair; expected {}, as in --train-sets",
                    validation_->numbers(), training_->numbers());
}

ops::Loss CrossView::loss(const train::MicroBatch& batch, const nn::Context& context) {
  const int32_t first = std::get<data::Labels>(batch.batch.fields[0]).segments.first;
  std::vector<predict::DrawnExample> examples;
  for (const int64_t number : batch.batch.examples) {
    examples.push_back({number, static_cast<uint64_t>(first) + examples.size()});
  }
  const predict::ViewParams params{
      .session = session_, .pairs = *training_, .mask_ratio = mask_ratio()};
  const models::ViewBatch views = predict::view_batch(params, examples, first, context.key);
  const double targets =
      options_.model.is_completion()
          ? static_cast<double>(views.masked.ids.size()) / static_cast<double>(examples.size())
          : 1;
  ops::Loss out = trained_.loss(views, batch.weight / targets, context);
  out.total /= targets;
  return out;
}

std::vector<train::Metric> CrossView::validate() {
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    const predict::SecondView second =
        metric == "error" ? predict::SecondView::kOwn : predict::SecondView::kOther;
    out.push_back({.name = metric,
                   .value = predict::mean_error(session_, *validation_,
                                                {.mask_ratio = mask_ratio(), .second = second}),
                   .is_loss = true});
  }
  return out;
}

}  // namespace weft::tasks
