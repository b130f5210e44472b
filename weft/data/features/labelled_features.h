// Labelled sequences of vectors, whole in memory: what a classifier of time series trains on.
#ifndef WEFT_DATA_FEATURES_LABELLED_FEATURES_H_
#define WEFT_DATA_FEATURES_LABELLED_FEATURES_H_

#include <functional>
#include <string>
#include <vector>

#include "weft/data/bad_files.h"
#include "weft/data/batch.h"
#include "weft/data/features/channel_statistics.h"
#include "weft/data/features/feature_file.h"
#include "weft/data/labels/label_set.h"
#include "weft/data/labels/labelled_dataset.h"
#include "weft/data/labels/labelled_text.h"

namespace weft::data {

// What becomes of missing numbers.
enum class MissingNumbers {
  kRefuse,
  kMean,  // the mean of their channel in training
  kLast,  // the last one of their channel in the sequence, or where there is none its mean
};
// "refuse", "mean" or "last".
MissingNumbers missing_numbers_named(std::string_view name);

// How sequences are read, in training and in prediction.
struct FeatureColumns {
  int64_t width = 0;     // numbers of a vector; 0: those of the first sequence
  int64_t max_rows = 0;  // vectors after these are left out; 0: none
  MissingNumbers missing = MissingNumbers::kRefuse;
  BadFiles bad_files = BadFiles::kRefuse;
};
// Applies the rule to a sequence; what is still missing is NaN. Returns whether vectors were left
// out. Throws FormatError, naming `where`, for another width and for missing numbers that are
// refused.
bool apply(const FeatureColumns& params, FeatureSequence& sequence, const std::string& where);

struct LabelledSequence {
  std::string where;                          // of its label
  std::vector<std::string> labels;            // each once
  std::function<FeatureSequence()> sequence;  // throws as read_features() does
};
// Calls take() for each example of one sktime file, or of labelled text whose text is the path of a
// file of features, from the folder of the text.
void read_labelled_sequences(const std::vector<std::string>& files, const LabelledTextOptions& text,
                             const std::function<void(const LabelledSequence&)>& take);

// The labels of such sequences, the most frequent first; throws as LabelCounter does.
LabelSet collect_sequence_labels(const std::vector<std::string>& files,
                                 const LabelledTextOptions& text);

// The fields of a batch: Features, NaN where a number is missing; Labels.
class LabelledFeatures : public LabelledDataset {
 public:
  // Throws what read_labelled_sequences() and apply() throw, and FormatError for a label that is
  // not in the set. Files that cannot be read are left out where the rule says so.
  LabelledFeatures(const std::vector<std::string>& files, const LabelledTextOptions& text,
                   const FeatureColumns& params, const LabelSet& labels);

  int64_t size() const override { return std::ssize(labels_); }
  Cost cost(int64_t example) const override { return {.rows = segments_.length(example)}; }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;
  std::span<const int32_t> labels(int64_t example, size_t) const override {
    return labels_[static_cast<size_t>(example)];
  }
  int64_t width() const { return params_.width; }
  // "train.ts: 270 sequences of 12 channels, 4274 vectors"
  std::string report() const override;
  ChannelStatistics statistics() const { return channel_statistics(values_, params_.width); }

 private:
  FeatureColumns params_;
  std::string name_;
  std::vector<float> values_;  // [N, width]
  Segments segments_;
  std::vector<std::vector<int32_t>> labels_;
  SkippedFiles skipped_;
  int64_t cropped_ = 0;
};

}  // namespace weft::data

#endif  // WEFT_DATA_FEATURES_LABELLED_FEATURES_H_
