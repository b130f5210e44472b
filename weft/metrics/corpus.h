// What every corpus metric asks of its input.
#ifndef WEFT_METRICS_CORPUS_H_
#define WEFT_METRICS_CORPUS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

// Throws FormatError, as `where: ...`, when there are no lines or no references, or when a
// reference has another number of lines than the hypotheses.
void check_corpus(std::string_view where, std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_CORPUS_H_
