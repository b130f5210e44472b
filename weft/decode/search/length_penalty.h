// Length normalisation: makes the scores of hypotheses of different lengths comparable.
#ifndef WEFT_DECODE_SEARCH_LENGTH_PENALTY_H_
#define WEFT_DECODE_SEARCH_LENGTH_PENALTY_H_

#include <cmath>
#include <cstdint>
#include <variant>

namespace weft::decode {

struct DecodeOptions;

struct NoPenalty {
  double operator()(int64_t) const { return 1; }
};

// length^alpha.
struct PowerPenalty {
  double alpha = 1;
  double operator()(int64_t length) const { return std::pow(static_cast<double>(length), alpha); }
};

// ((5 + length) / 6)^alpha (Wu et al. 2016, equation 14).
struct WuPenalty {
  double alpha = 1;
  double operator()(int64_t length) const {
    return std::pow((5 + static_cast<double>(length)) / 6, alpha);
  }
};

// The divisor of a log-probability: at least 1, and it never falls as the length, which includes
// the end symbol, grows.
struct LengthPenalty {
  std::variant<NoPenalty, PowerPenalty, WuPenalty> kind = {};

  double score(double log_probability, int64_t length) const {
    return log_probability / std::visit([&](const auto& k) { return k(length); }, kind);
  }
};

// The penalty that the options set, or model_file::kDefaultNormalize. Throws OptionError where they
// set two.
LengthPenalty make_length_penalty(const DecodeOptions& options);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_LENGTH_PENALTY_H_
