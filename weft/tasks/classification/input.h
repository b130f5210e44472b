// What a classification trains on, by kind of input.
#ifndef WEFT_TASKS_CLASSIFICATION_INPUT_H_
#define WEFT_TASKS_CLASSIFICATION_INPUT_H_

#include <memory>

#include "weft/data/labels/labelled_dataset.h"
#include "weft/model_file/classifier.h"
#include "weft/tasks/classification/options.h"
#include "weft/tasks/labels/labelled_data.h"
#include "weft/train/distributed/group.h"

namespace weft::tasks {

// What a training that starts from a model, or learns from one, takes of it beside weights.
struct ClassificationStart {
  data::TokeniserPtr tokeniser = nullptr;
  // Of a model that is trained on with its head, or of a teacher:
  data::LabelSet labels = {};
  data::ChannelStatistics numbers = {};
  std::string labels_from = {};  // the file of that model
  std::string_view labels_hint = kNewHeadHint;
  std::optional<OtherReading> teacher = {};

  bool has_labels() const { return labels.size() > 0; }
};

class ClassificationInput {
 public:
  virtual ~ClassificationInput() = default;

  // Makes the label set, whose labels are those of the training examples, on every rank.
  virtual void collect_labels() = 0;
  virtual const data::LabelSet& labels() const = 0;
  // Makes what the size of a model depends on: a vocabulary, or the size of pictures.
  virtual void open(train::Group& group, uint64_t seed) = 0;
  // Sets what follows from the examples where no option says it: patches and batches of pictures. A
  // training that resumes has the options that it began with. After open().
  virtual void fit(ClassificationOptions&, bool /*resumes*/) {}
  virtual model_file::ClassifierAssets assets() const = 0;  // after open()
  // Reads the examples of training on every rank and those of validation on rank 0; those of more
  // than `capacity` rows are cut, where they have an end.
  virtual void read(train::Group& group, int64_t capacity) = 0;

  virtual std::shared_ptr<const data::LabelledDataset> training() const = 0;
  // The same examples as the teacher reads them; null without one.
  virtual std::shared_ptr<const data::Dataset> taught() const { return nullptr; }
  virtual const data::LabelledDataset* validation() const = 0;  // null where there is none
  // Writes what was made beside the model.
  virtual void write_made() const {}
  // Of the examples and the label set.
  virtual uint64_t fingerprint() const = 0;
};

std::unique_ptr<ClassificationInput> make_input(const ClassificationOptions& options,
                                                ClassificationStart start = {});

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_INPUT_H_
