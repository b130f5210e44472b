// Numbers that examples are to be given, in place of labels.
#ifndef WEFT_DATA_LABELS_NUMBERS_H_
#define WEFT_DATA_LABELS_NUMBERS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/features/channel_statistics.h"
#include "weft/data/labels/label_set.h"
#include "weft/data/labels/labelled_dataset.h"

namespace weft::data {

// What the labels of some examples say: each label is a text of W numbers.
struct NumberTable {
  LabelSet texts;
  std::vector<float> values = {};     // [texts, W]
  int64_t width = 0;                  // W
  ChannelStatistics statistics = {};  // of all examples

  std::span<const float> operator[](int32_t text) const {
    return std::span(values).subspan(static_cast<size_t>(text * width), static_cast<size_t>(width));
  }
};

class NumberReader {
 public:
  // `separators` are characters between numbers, beside spaces; every example has `width`
  // numbers, 0: as many as the first one.
  NumberReader(std::string separators, int64_t width)
      : separators_(std::move(separators)), width_(width) {}

  // Throws FormatError, naming `where`, for what is no finite number and another number of them.
  void add(std::string_view text, std::string_view where);
  // Throws FormatError, naming `name`, where nothing was added.
  NumberTable table(std::string_view name) const;

 private:
  std::string separators_;
  int64_t width_;
  std::vector<std::string> texts_;
  TextMap<bool> seen_;
  std::vector<float> values_;  // of texts_
  std::vector<float> all_;     // of all examples
};

// Examples that have one label each, with numbers in place of it: the second field of a batch is
// Labels without ids, and W values for each example.
class NumberedExamples : public LabelledDataset {
 public:
  NumberedExamples(std::shared_ptr<const LabelledDataset> examples, NumberTable numbers);

  int64_t size() const override { return examples_->size(); }
  int64_t labelled() const override { return examples_->labelled(); }
  Cost cost(int64_t example) const override { return examples_->cost(example); }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;
  std::vector<Part> parts() const override { return examples_->parts(); }
  // None.
  std::span<const int32_t> labels(int64_t, size_t) const override { return {}; }
  std::string report() const override { return examples_->report(); }

  std::vector<float> numbers() const override;

 private:
  std::shared_ptr<const LabelledDataset> examples_;
  NumberTable numbers_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_NUMBERS_H_
