#include "weft/tasks/classification/input.h"

#include <functional>

#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/file_names.h"
#include "weft/data/images/labelled_images.h"
#include "weft/predict/classification/numbers.h"
#include "weft/tasks/labels/labelled_data.h"
#include "weft/tasks/picture_patches.h"

namespace weft::tasks {
namespace {

using Examples = std::shared_ptr<const data::LabelledDataset>;

// Pictures of a batch, which all have as many patches.
constexpr int64_t kBatchPictures = 64;

// Whether no option bounds batches.
bool has_default_batches(const ClassificationOptions& o) {
  const data::BatchOptions plain = ClassificationOptions().batching;
  return o.batching.mini_batch == plain.mini_batch &&
         o.batching.mini_batch_words == plain.mini_batch_words && !o.loop.mini_batch_fit;
}

// What examples are to be given: labels, or numbers, whose texts stand for labels in a data set.
class Targets {
 public:
  explicit Targets(const ClassificationOptions& o)
      : fields_(o.read_fields()),
        input_(o.model.input),
        has_numbers_(o.model.has_numbers()),
        training_sets_(o.data.train_sets),
        validation_sets_(o.validation.valid_sets) {}

  // `find` finds the labels of training.
  void collect(const std::function<data::LabelSet()>& find) {
    if (has_numbers_) numbers_ = predict::read_numbers(training_sets_, fields_, input_, 0);
    names_ = has_numbers_ ? predict::number_names(numbers_.width) : find();
  }
  // The same for a model whose labels are there already. `find` finds those of training.
  void collect_known(const ClassificationStart& start,
                     const std::function<data::LabelSet()>& find) {
    names_ = start.labels;
    numbers_.width = names_.size();
    numbers_.statistics = start.numbers;
    if (training_sets_.empty()) return;
    if (!has_numbers_) {
      return check_known_labels(find(), names_, data::joined_names(training_sets_),
                                start.labels_from, start.labels_hint);
    }
    numbers_ = predict::read_numbers(training_sets_, fields_, input_, names_.size());
    numbers_.statistics = start.numbers;
  }
  void collect_validation() {
    if (!has_numbers_) return;
    validation_ = predict::read_numbers(validation_sets_, fields_, input_, numbers_.width);
  }
  const data::LabelSet& names() const { return names_; }
  const data::ChannelStatistics& statistics() const { return numbers_.statistics; }
  const data::LabelSet& of_training() const { return has_numbers_ ? numbers_.texts : names_; }
  const data::LabelSet& of_validation() const { return has_numbers_ ? validation_.texts : names_; }
  Examples training(Examples examples) const { return with(std::move(examples), numbers_); }
  Examples validation(Examples examples) const { return with(std::move(examples), validation_); }

 private:
  Examples with(Examples examples, const data::NumberTable& numbers) const {
    if (!has_numbers_) return examples;
    return std::make_shared<const data::NumberedExamples>(std::move(examples), numbers);
  }

  data::LabelledFields fields_;
  models::InputKinds input_;
  bool has_numbers_;
  std::vector<std::string> training_sets_, validation_sets_;
  data::LabelSet names_;
  data::NumberTable numbers_, validation_;  // of training and validation
};

// What all inputs have.
class InputBase : public ClassificationInput {
 public:
  explicit InputBase(const ClassificationOptions& o)
      : training_sets_(o.data.train_sets),
        validation_sets_(o.validation.valid_sets),
        text_(predict::reading_of(o.read_fields(), o.model.labels)),
        targets_(o) {}

  const data::LabelSet& labels() const override { return targets_.names(); }
  Examples training() const override { return training_; }
  const data::LabelledDataset* validation() const override { return validation_.get(); }
  uint64_t fingerprint() const override {
    Hash hash;
    hash.add(training_->fingerprint());
    hash.add(labels().fingerprint());
    return hash.value();
  }

 protected:
  bool reads_validation(const train::Group& group) const {
    return !validation_sets_.empty() && group.is_first();
  }
  void set_training(Examples examples) { training_ = targets_.training(std::move(examples)); }
  void set_validation(Examples examples) { validation_ = targets_.validation(std::move(examples)); }

  std::vector<std::string> training_sets_, validation_sets_;
  data::LabelledTextOptions text_;
  Targets targets_;

 private:
  Examples training_, validation_;
};

class LabelledTextInput : public InputBase {
 public:
  LabelledTextInput(const ClassificationOptions& o, ClassificationStart start)
      : InputBase(o),
        start_(std::move(start)),
        data_(o.data, {.text = text_, .tokens = predict::token_params(o.model, o.data.max_length)},
              o.validation.valid_sets, o.teacher.unlabelled) {
    if (o.loss.weight_field) data_.set_weights(*o.loss.weight_field);
  }

  void collect_labels() override {
    const auto find = [&] {
      data_.collect_labels();
      return data_.labels().front();
    };
    if (start_.has_labels()) {
      targets_.collect_known(start_, find);
    } else {
      targets_.collect(find);
    }
    data_.set_labels({targets_.of_training()});
  }
  void open(train::Group& group, uint64_t seed) override {
    if (start_.tokeniser == nullptr) return data_.open_vocabulary(group, seed);
    data_.set_tokeniser(start_.tokeniser);
  }
  model_file::ClassifierAssets assets() const override {
    return {.text = {data_.tokeniser(), {labels()}}, .numbers = targets_.statistics()};
  }
  void read(train::Group& group, int64_t capacity) override {
    if (reads_validation(group)) {
      targets_.collect_validation();
      data_.set_validation_labels({targets_.of_validation()});
    }
    data_.read(group, capacity);
    set_training(data_.training());
    if (start_.teacher) taught_ = data_.read_as(*start_.teacher);
    if (data_.validation() != nullptr) set_validation(data_.validation());
  }
  std::shared_ptr<const data::Dataset> taught() const override { return taught_; }
  void write_made() const override { data_.write_made(); }

 private:
  ClassificationStart start_;
  LabelledData data_;
  std::shared_ptr<const data::Dataset> taught_;
};

class LabelledImageInput : public InputBase {
 public:
  explicit LabelledImageInput(const ClassificationOptions& o)
      : InputBase(o),
        params_{.text = text_,
                .shape = shape_of(o.model.input.get<models::ImageInput>()),
                .bad_files = o.bad_files.params()} {}

  void collect_labels() override {
    targets_.collect([&] { return data::collect_image_labels(training_sets_, params_.text); });
  }
  void open(train::Group&, uint64_t) override {
    images_ =
        std::make_shared<data::LabelledImages>(training_sets_, params_, targets_.of_training());
    log::info("{}", images_->report());
    params_.shape = images_->shape();
    statistics_ = images_->statistics();
    set_training(images_);
  }
  void fit(ClassificationOptions& o, bool resumes) override {
    auto& picture = o.model.input.get<models::ImageInput>();
    const data::ImageShape& shape = params_.shape;
    fit_patches(picture.patch_size, shape, picture.has_stem(), kPatchesOfLabels);
    params_.patch = picture.patch_size;
    images_->set_patch(params_.patch);
    fit_positions(o.model.encoder.position, o.model.encoder,
                  shape.patches(params_.patch) + (o.model.with_begin() ? 1 : 0));
    if (resumes || !has_default_batches(o)) return;
    o.batching.mini_batch = kBatchPictures;
    o.batching.mini_batch_words = 0;
  }
  model_file::ClassifierAssets assets() const override {
    return {.text = {.labels = {labels()}},
            .image = params_.shape,
            .statistics = statistics_,
            .numbers = targets_.statistics()};
  }
  void read(train::Group& group, int64_t) override {
    if (!reads_validation(group)) return;
    targets_.collect_validation();
    const auto images = std::make_shared<const data::LabelledImages>(validation_sets_, params_,
                                                                     targets_.of_validation());
    log::info("{}", images->report());
    set_validation(images);
  }

 private:
  static data::ImageShape shape_of(const models::ImageInput& input) {
    if (input.image_size.empty()) return {};
    return {.height = input.image_size.front(), .width = input.image_size.back()};
  }

  data::LabelledImagesOptions params_;  // from open() on with the shape of training
  std::shared_ptr<data::LabelledImages> images_;
  data::ChannelStatistics statistics_;
};

class LabelledFeatureInput : public InputBase {
 public:
  explicit LabelledFeatureInput(const ClassificationOptions& o)
      : InputBase(o), params_(predict::feature_params(o.model, 0)) {
    params_.bad_files = o.bad_files.params();
  }

  void collect_labels() override {
    targets_.collect([&] { return data::collect_sequence_labels(training_sets_, text_); });
  }
  void open(train::Group&, uint64_t) override {
    const auto sequences = std::make_shared<const data::LabelledFeatures>(
        training_sets_, text_, params_, targets_.of_training());
    log::info("{}", sequences->report());
    params_.width = sequences->width();
    statistics_ = sequences->statistics();
    set_training(sequences);
  }
  model_file::ClassifierAssets assets() const override {
    return {.text = {.labels = {labels()}},
            .channels = params_.width,
            .statistics = statistics_,
            .numbers = targets_.statistics()};
  }
  void read(train::Group& group, int64_t) override {
    if (!reads_validation(group)) return;
    targets_.collect_validation();
    const auto sequences = std::make_shared<const data::LabelledFeatures>(
        validation_sets_, text_, params_, targets_.of_validation());
    log::info("{}", sequences->report());
    set_validation(sequences);
  }

 private:
  data::FeatureColumns params_;  // from open() on with the width of training
  data::ChannelStatistics statistics_;
};

}  // namespace

std::unique_ptr<ClassificationInput> make_input(const ClassificationOptions& options,
                                                ClassificationStart start) {
  if (options.model.is_text()) {
    return std::make_unique<LabelledTextInput>(options, std::move(start));
  }
  if (options.model.input.is<models::FeatureInput>()) {
    return std::make_unique<LabelledFeatureInput>(options);
  }
  return std::make_unique<LabelledImageInput>(options);
}

}  // namespace weft::tasks
