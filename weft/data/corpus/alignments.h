// Word alignments of the training text, from files beside it.
#ifndef WEFT_DATA_CORPUS_ALIGNMENTS_H_
#define WEFT_DATA_CORPUS_ALIGNMENTS_H_

#include <string>
#include <vector>

#include "weft/core/files/links.h"
#include "weft/data/corpus/corpus.h"

namespace weft::data {

class Alignments {
 public:
  // A file for each part of the corpus, each line the links of its line in Pharaoh's form, between
  // the tokens that vocabularies make of source and target. Throws OptionError for another number
  // of files, and FormatError naming a line that is no links or links what its sentence has not,
  // and a file with fewer or more lines than the text.
  Alignments(const Corpus& corpus, const std::vector<std::string>& files);

  // [B] the links of each sentence of a batch of the corpus.
  std::vector<std::vector<Link>> of(const Batch& batch) const;
  // The same number for the same links, and almost never for others.
  uint64_t fingerprint() const;

 private:
  std::vector<std::vector<Link>> links_;  // of each sentence
};

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_ALIGNMENTS_H_
