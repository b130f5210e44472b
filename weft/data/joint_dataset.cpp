#include "weft/data/joint_dataset.h"

#include "weft/core/error.h"
#include "weft/core/hash.h"

namespace weft::data {

JointDataset::JointDataset(std::shared_ptr<const Dataset> first,
                           std::shared_ptr<const Dataset> second, std::string_view where)
    : first_(std::move(first)), second_(std::move(second)) {
  if (first_->size() == second_->size()) return;
  fail<FormatError>(where, "{} examples for one model and {} for the other; expected as many",
                    first_->size(), second_->size());
}

Batch JointDataset::batch(std::span<const int64_t> examples) const {
  Batch out = first_->batch(examples);
  Batch other = second_->batch(out.examples);
  for (Field& field : other.fields) out.fields.push_back(std::move(field));
  return out;
}

uint64_t JointDataset::fingerprint() const {
  Hash hash;
  hash.add(first_->fingerprint());
  hash.add(second_->fingerprint());
  return hash.value();
}

JointBatch split_joint(const Batch& batch, size_t fields) {
  const auto middle = batch.fields.begin() + static_cast<std::ptrdiff_t>(fields);
  return {.first = {.fields = {batch.fields.begin(), middle}, .examples = batch.examples},
          .second = {.fields = {middle, batch.fields.end()}, .examples = batch.examples}};
}

}  // namespace weft::data
