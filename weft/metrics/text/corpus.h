// Input checks shared by corpus metrics.
#ifndef WEFT_METRICS_TEXT_CORPUS_H_
#define WEFT_METRICS_TEXT_CORPUS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

// Throws FormatError, prefixed with `where`, if there are no lines or no references, or if the
// numbers of lines differ.
void check_corpus(std::string_view where, std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_CORPUS_H_
