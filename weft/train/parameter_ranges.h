// The ranges of the flat parameter buffer that training modifies.
#ifndef WEFT_TRAIN_PARAMETER_RANGES_H_
#define WEFT_TRAIN_PARAMETER_RANGES_H_

#include <span>
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

// Parameters that the optimiser treats alike.
struct TrainedRange {
  Range range;
  bool decays = true;      // whether weight decay applies
  double rate_factor = 1;  // times the learning rate
  bool operator==(const TrainedRange&) const = default;
};

// In the order of the buffer. Adjacent ranges that are alike are merged.
struct ParameterRanges {
  std::vector<TrainedRange> trained;  // by the optimiser
  std::vector<Range> fixed;           // frozen parameters and buffers
  int64_t frozen = 0;                 // elements of frozen parameters
};

// How parameters are distinguished.
struct RangeOptions {
  bool decays_all = true;  // else only matrices that are no embeddings
  // "PATTERN=X": parameters whose names match learn at X times the rate; of several that match,
  // the last one counts.
  std::span<const std::string> rate_factors = {};
  double layer_decay = 1;  // factor on the rate of each layer, of that of the layer above
  double head_factor = 1;  // on the rate of parameters outside of "model."
};

// The parameters whose names match one of the shell patterns: * matches any text, ? any character,
// [ab] one of a and b. Throws OptionError, naming `option`, for a pattern that matches no name.
std::vector<nn::NamedParameter> matching(const std::vector<nn::NamedParameter>& parameters,
                                         const std::vector<std::string>& patterns,
                                         std::string_view option);

// Freezes the matching parameters (--freeze).
void freeze(const std::vector<nn::NamedParameter>& parameters,
            const std::vector<std::string>& patterns);

// Throws OptionError if all parameters are frozen, if a rate factor is not a number, or if its
// pattern matches no name.
ParameterRanges parameter_ranges(const std::vector<nn::NamedParameter>& parameters,
                                 const RangeOptions& options = {});

}  // namespace weft::train

#endif  // WEFT_TRAIN_PARAMETER_RANGES_H_
