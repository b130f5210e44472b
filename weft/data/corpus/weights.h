// Weights of sentences or of target tokens, from files beside the training text.
#ifndef WEFT_DATA_CORPUS_WEIGHTS_H_
#define WEFT_DATA_CORPUS_WEIGHTS_H_

#include <string>
#include <vector>

#include "weft/data/corpus/corpus.h"

namespace weft::data {

enum class WeightType { kSentence, kWord };

// A line of a file weighs the same line of its corpus: one number, or, by word, one for each target
// token and, if wanted, one more for the end symbol, which weighs 1 else.
class Weights {
 public:
  // A file for each part of the corpus. Throws OptionError for another number of files, and
  // FormatError naming a line with another number of weights, with what is no number, or with one
  // below 0, and a file with fewer or more lines than the text.
  Weights(const Corpus& corpus, const std::vector<std::string>& files, WeightType type);

  // [N] the weight of each target row of a batch of the corpus.
  std::vector<float> of(const Batch& batch) const;
  // The same number for the same weights, and almost never for others.
  uint64_t fingerprint() const;

 private:
  WeightType type_;
  std::vector<float> values_;
  std::vector<int64_t> begins_;  // [sentences + 1] in values_
};

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_WEIGHTS_H_
