// Examples with labels of any kind of input.
#ifndef WEFT_DATA_LABELS_LABELLED_DATASET_H_
#define WEFT_DATA_LABELS_LABELLED_DATASET_H_

#include <string>
#include <vector>

#include "weft/data/dataset.h"

namespace weft::data {

// The first examples have labels, all of them in most data sets. In a batch those with labels come
// first, and the fields of labels have nothing for the others.
class LabelledDataset : public Dataset {
 public:
  virtual int64_t labelled() const { return size(); }
  // Ids of the labels of an example, of one kind of label.
  virtual std::span<const int32_t> labels(int64_t example, size_t field) const = 0;
  // [labelled, W] where they have numbers in place of labels, else empty.
  virtual std::vector<float> numbers() const { return {}; }
  // "train.tsv: 5452 examples; tokens 54520, unknown 1.2 %; 3 cropped"
  virtual std::string report() const = 0;
};

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LABELLED_DATASET_H_
