#include "weft/metrics/text/corpus.h"

#include "weft/core/error.h"

namespace weft::metrics {

void check_corpus(std::string_view where, std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references) {
  if (hypotheses.empty()) fail<FormatError>(where, "no hypotheses; expected at least one line");
  if (references.empty()) fail<FormatError>(where, "no references; expected at least one");
  for (size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == hypotheses.size()) continue;
    fail<FormatError>(where,
                      "reference {} does not match the hypotheses; expected {} lines, got {}",
                      r + 1, hypotheses.size(), references[r].size());
  }
}

}  // namespace weft::metrics
