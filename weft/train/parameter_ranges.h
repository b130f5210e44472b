// Which parts of the flat parameter buffer training changes.
#ifndef WEFT_TRAIN_PARAMETER_RANGES_H_
#define WEFT_TRAIN_PARAMETER_RANGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/nn/parameters.h"

namespace weft::train {

// Places [begin, end) of the flat buffer.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

// Neighbours of one kind are one range.
struct ParameterRanges {
  std::vector<Range> trained;  // by the optimiser
  std::vector<Range> fixed;    // frozen, or statistics: neither gradient nor decay changes them
  int64_t frozen = 0;          // elements of frozen parameters
};

// Those whose name one of the patterns matches, as a shell's do file names: * is any text, ? any
// character, [ab] one of those. Throws OptionError, naming `option`, for a pattern that matches no
// name.
std::vector<nn::NamedParameter> matching(const std::vector<nn::NamedParameter>& parameters,
                                         const std::vector<std::string>& patterns,
                                         std::string_view option);

// Freezes those that matching() finds for --freeze.
void freeze(const std::vector<nn::NamedParameter>& parameters,
            const std::vector<std::string>& patterns);

// Throws OptionError where all parameters are frozen.
ParameterRanges parameter_ranges(const std::vector<nn::NamedParameter>& parameters);

}  // namespace weft::train

#endif  // WEFT_TRAIN_PARAMETER_RANGES_H_
