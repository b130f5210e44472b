// The same examples as two models read them.
#ifndef WEFT_DATA_JOINT_DATASET_H_
#define WEFT_DATA_JOINT_DATASET_H_

#include <memory>

#include "weft/data/dataset.h"

namespace weft::data {

// A batch has the fields of the first data set, and then those of the second. The first decides
// about batches.
class JointDataset : public Dataset {
 public:
  // Throws FormatError, naming `where`, for data sets of different sizes.
  JointDataset(std::shared_ptr<const Dataset> first, std::shared_ptr<const Dataset> second,
               std::string_view where);

  int64_t size() const override { return first_->size(); }
  Cost cost(int64_t example) const override { return first_->cost(example); }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;
  std::vector<Part> parts() const override { return first_->parts(); }

 private:
  std::shared_ptr<const Dataset> first_, second_;
};

// The examples of a batch of a JointDataset by its first `fields` fields, and by the others.
struct JointBatch {
  Batch first, second;
};
JointBatch split_joint(const Batch& batch, size_t fields);

}  // namespace weft::data

#endif  // WEFT_DATA_JOINT_DATASET_H_
