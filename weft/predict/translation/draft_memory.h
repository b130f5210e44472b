// A translation memory: sentences with translations that those of new sentences may resemble.
#ifndef WEFT_PREDICT_TRANSLATION_DRAFT_MEMORY_H_
#define WEFT_PREDICT_TRANSLATION_DRAFT_MEMORY_H_

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "weft/data/text/tokeniser.h"

namespace weft::predict {

class DraftMemory {
 public:
  // Of a file of sources and one of targets, or of one file whose lines are `source <tab> target`.
  // Throws OptionError for another number of files, what data::read_lines throws, and FormatError
  // for a line without a tab and for files of different numbers of lines.
  DraftMemory(std::span<const std::string> paths, const data::Tokeniser& source,
              const data::Tokeniser& target);

  // The tokens of the target whose source has the most pairs of neighbouring tokens in common with
  // this one, as a share of both, of equals the first. None where that is less than 0.3.
  std::span<const int32_t> find(std::span<const int32_t> source) const;

 private:
  void add(std::span<const int32_t> source, std::vector<int32_t> target);

  std::vector<std::vector<int32_t>> targets_;
  std::vector<int32_t> counts_;  // distinct pairs of tokens of each source
  std::unordered_map<uint64_t, std::vector<int32_t>> sources_;  // that have a pair of tokens
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_DRAFT_MEMORY_H_
