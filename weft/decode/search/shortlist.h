// Shortlists: the target tokens that a source may be translated with, from a lexicon of probable
// translations.
#ifndef WEFT_DECODE_SEARCH_SHORTLIST_H_
#define WEFT_DECODE_SEARCH_SHORTLIST_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/data/text/tokeniser.h"

namespace weft::decode {

struct ShortlistOptions {
  std::string path;     // lines of `target source probability`, tokens of the vocabularies
  int64_t first = 100;  // target tokens with the lowest ids, the most frequent ones
  int64_t best = 100;   // the most probable translations of each source token
};

class Shortlist {
 public:
  // Skips lines with tokens that the vocabularies do not have. Throws FileError, and FormatError
  // for a malformed line and where all lines are skipped.
  Shortlist(const ShortlistOptions& options, const data::Tokeniser& source,
            const data::Tokeniser& target);

  // The tokens for a source, in rising order: the first ones, the best of each source token, and
  // the end symbol. They depend on that source alone.
  std::vector<int32_t> of(std::span<const int32_t> source) const;

 private:
  int32_t first_ = 0;
  int32_t end_id_ = 0;
  std::vector<std::vector<int32_t>> best_;  // of each source token
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SHORTLIST_H_
