// The ranges of the flat parameter buffer that training modifies.
#ifndef WEFT_TRAIN_PARAMETER_RANGES_H_
#define WEFT_TRAIN_PARAMETER_RANGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/nn/parameters.h"

namespace weft::train {

// Elements [begin, end) of the flat buffer.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

// Adjacent ranges of the same kind are merged.
struct ParameterRanges {
  std::vector<Range> trained;  // by the optimiser
  std::vector<Range> fixed;    // frozen parameters and buffers, which have no gradient or decay
  int64_t frozen = 0;          // elements of frozen parameters
};

// The parameters whose names match one of the shell patterns: * matches any text, ? any character,
// [ab] one of a and b. Throws OptionError, naming `option`, for a pattern that matches no name.
std::vector<nn::NamedParameter> matching(const std::vector<nn::NamedParameter>& parameters,
                                         const std::vector<std::string>& patterns,
                                         std::string_view option);

// Freezes the matching parameters (--freeze).
void freeze(const std::vector<nn::NamedParameter>& parameters,
            const std::vector<std::string>& patterns);

// Throws OptionError if all parameters are frozen.
ParameterRanges parameter_ranges(const std::vector<nn::NamedParameter>& parameters);

}  // namespace weft::train

#endif  // WEFT_TRAIN_PARAMETER_RANGES_H_
