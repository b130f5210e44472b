#include "weft/tasks/classification/input.h"

#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/images/labelled_images.h"
#include "weft/tasks/classification/label_probabilities.h"
#include "weft/tasks/labels/labelled_data.h"

namespace weft::tasks {
namespace {

class LabelledTextInput : public ClassificationInput {
 public:
  explicit LabelledTextInput(const ClassificationOptions& o) : data_(data_of(o)) {}

  void collect_labels() override { data_.collect_labels(); }
  const data::LabelSet& labels() const override { return data_.labels().front(); }
  void open(train::Group& group, uint64_t seed) override { data_.open_vocabulary(group, seed); }
  model_file::ClassifierAssets assets() const override {
    return {.text = {data_.tokeniser(), data_.labels()}};
  }
  void read(train::Group& group, int64_t capacity) override { data_.read(group, capacity); }
  std::shared_ptr<const data::LabelledDataset> training() const override {
    return data_.training();
  }
  const data::LabelledDataset* validation() const override { return data_.validation(); }
  void write_made() const override { data_.write_made(); }
  uint64_t fingerprint() const override { return data_.fingerprint(); }

 private:
  static LabelledData data_of(const ClassificationOptions& o) {
    data::LabelledCorpusOptions rules{.text = o.read_fields().reading(),
                                      .tokens = token_rule(o.model, o.data.max_length)};
    return {o.data, std::move(rules), o.validation.valid_sets};
  }

  LabelledData data_;
};

// What inputs have in common whose examples are files.
class FileInput : public ClassificationInput {
 public:
  const data::LabelSet& labels() const override { return labels_; }
  uint64_t fingerprint() const override {
    Hash hash;
    hash.add(training()->fingerprint());
    hash.add(labels_.fingerprint());
    return hash.value();
  }

 protected:
  explicit FileInput(const ClassificationOptions& o)
      : training_sets_(o.data.train_sets), validation_sets_(o.validation.valid_sets) {}

  std::vector<std::string> training_sets_, validation_sets_;
  data::LabelSet labels_;
};

class LabelledImageInput : public FileInput {
 public:
  explicit LabelledImageInput(const ClassificationOptions& o)
      : FileInput(o),
        rule_{.text = o.read_fields().reading(),
              .shape = shape_of(o.model.input.get<models::ImageInput>()),
              .patch = o.model.input.get<models::ImageInput>().patch_size} {}

  void collect_labels() override {
    labels_ = data::collect_image_labels(training_sets_, rule_.text);
  }
  void open(train::Group&, uint64_t) override {
    training_ = std::make_shared<const data::LabelledImages>(training_sets_, rule_, labels_);
    log::info("{}", training_->report());
  }
  model_file::ClassifierAssets assets() const override {
    return {.text = {.labels = {labels_}},
            .image = training_->shape(),
            .statistics = training_->statistics()};
  }
  void read(train::Group& group, int64_t) override {
    if (validation_sets_.empty() || !group.is_first()) return;
    data::LabelledImagesOptions rule = rule_;
    rule.shape = training_->shape();
    validation_ = std::make_unique<data::LabelledImages>(validation_sets_, rule, labels_);
    log::info("{}", validation_->report());
  }
  std::shared_ptr<const data::LabelledDataset> training() const override { return training_; }
  const data::LabelledDataset* validation() const override { return validation_.get(); }

 private:
  static data::ImageShape shape_of(const models::ImageInput& input) {
    if (input.image_size.empty()) return {};
    return {.height = input.image_size.front(), .width = input.image_size.back()};
  }

  data::LabelledImagesOptions rule_;
  std::shared_ptr<const data::LabelledImages> training_;
  std::unique_ptr<data::LabelledImages> validation_;
};

class LabelledFeatureInput : public FileInput {
 public:
  explicit LabelledFeatureInput(const ClassificationOptions& o)
      : FileInput(o), text_(o.read_fields().reading()), rule_(feature_rule(o.model, 0)) {}

  void collect_labels() override { labels_ = data::collect_sequence_labels(training_sets_, text_); }
  void open(train::Group&, uint64_t) override {
    training_ =
        std::make_shared<const data::LabelledFeatures>(training_sets_, text_, rule_, labels_);
    rule_.width = training_->width();
    log::info("{}", training_->report());
  }
  model_file::ClassifierAssets assets() const override {
    return {.text = {.labels = {labels_}},
            .channels = training_->width(),
            .statistics = training_->statistics()};
  }
  void read(train::Group& group, int64_t) override {
    if (validation_sets_.empty() || !group.is_first()) return;
    validation_ = std::make_unique<data::LabelledFeatures>(validation_sets_, text_, rule_, labels_);
    log::info("{}", validation_->report());
  }
  std::shared_ptr<const data::LabelledDataset> training() const override { return training_; }
  const data::LabelledDataset* validation() const override { return validation_.get(); }

 private:
  data::LabelledTextOptions text_;
  data::FeatureRule rule_;
  std::shared_ptr<const data::LabelledFeatures> training_;
  std::unique_ptr<data::LabelledFeatures> validation_;
};

}  // namespace

std::unique_ptr<ClassificationInput> make_input(const ClassificationOptions& options) {
  if (options.model.is_text()) return std::make_unique<LabelledTextInput>(options);
  if (options.model.input.is<models::FeatureInput>()) {
    return std::make_unique<LabelledFeatureInput>(options);
  }
  return std::make_unique<LabelledImageInput>(options);
}

}  // namespace weft::tasks
