// Scaling of rotary positions, so that a model takes more positions than it was trained with.
#ifndef WEFT_NN_POSITION_ROTARY_SCALING_H_
#define WEFT_NN_POSITION_ROTARY_SCALING_H_

#include "weft/ops/rotary.h"
#include "weft/options/fields.h"

namespace weft::nn {

struct RotaryDims {
  double base = 10000;
  int64_t pairs = 0;  // of features, K / 2
};

template <class V>
void rotary_factor_field(V& v, double& factor) {
  v("rotary-factor", factor,
    {.help = "how many times as many positions as in training",
     .min = 1,
     .max = 1e6,
     .omitted_if = "2"});
}
template <class V>
void trained_positions_field(V& v, int64_t& positions) {
  v("rotary-trained-positions", positions,
    {.help = "positions of the first training, before it was scaled",
     .min = 1,
     .max = int64_t{1} << 31,
     .omitted_if = "8192"});
}

// frequencies(dims) of a kind are those of its rotations.
struct NoRotaryScaling {
  static constexpr std::string_view kName = "none";
  ops::RotaryFrequencies frequencies(const RotaryDims& dims) const;
};

// All positions divided by the factor.
struct LinearRotaryScaling {
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kHelp =
      "positions divided by a factor (Chen et al. 2023, arXiv 2306.15595)";
  double factor = 2;

  ops::RotaryFrequencies frequencies(const RotaryDims& dims) const;
  template <class V>
  void fields(V& v) {
    rotary_factor_field(v, factor);
  }
};

// The slowest pair as with linear scaling, the fastest as without: base * factor^(K / (K - 2)).
struct NtkRotaryScaling {
  static constexpr std::string_view kName = "ntk";
  static constexpr std::string_view kHelp = "a larger base, which leaves fast rotations alone";
  double factor = 2;

  ops::RotaryFrequencies frequencies(const RotaryDims& dims) const;
  template <class V>
  void fields(V& v) {
    rotary_factor_field(v, factor);
  }
};

// Pairs that make at least beta-fast turns over the positions of training as without scaling, those
// with at most beta-slow as with linear scaling, and a ramp between them.
struct YarnRotaryScaling {
  static constexpr std::string_view kName = "yarn";
  static constexpr std::string_view kHelp =
      "slow rotations divided by a factor, fast ones not, and larger scores (Peng et al. 2023, "
      "arXiv 2309.00071)";
  double factor = 2;
  int64_t trained_positions = 8192;
  double beta_fast = 32, beta_slow = 1;
  double magnitude = 0;  // 0: 0.1 ln(factor) + 1

  // Throws OptionError.
  void check(double base) const;
  ops::RotaryFrequencies frequencies(const RotaryDims& dims) const;
  template <class V>
  void fields(V& v) {
    rotary_factor_field(v, factor);
    trained_positions_field(v, trained_positions);
    v("rotary-beta-fast", beta_fast,
      {.help = "turns over the positions of training from which on a rotation is not scaled",
       .min = 1e-3,
       .max = 1e6,
       .omitted_if = "32"});
    v("rotary-beta-slow", beta_slow,
      {.help = "turns up to which it is divided by the factor",
       .min = 1e-3,
       .max = 1e6,
       .omitted_if = "1"});
    v("rotary-magnitude", magnitude,
      {.help = "factor on rotated queries and on keys; 0: 0.1 ln(factor) + 1",
       .min = 0,
       .max = 1e3,
       .omitted_if = "0"});
  }
};

// Wavelengths over trained positions / low factor as with linear scaling, those below trained
// positions / high factor as without, and an interpolation between them.
struct Llama3RotaryScaling {
  static constexpr std::string_view kName = "llama3";
  static constexpr std::string_view kHelp =
      "long wavelengths divided by a factor, short ones not (Dubey et al. 2024, arXiv 2407.21783)";
  double factor = 2;
  int64_t trained_positions = 8192;
  double low_factor = 1, high_factor = 4;

  // Throws OptionError.
  void check(double base) const;
  ops::RotaryFrequencies frequencies(const RotaryDims& dims) const;
  template <class V>
  void fields(V& v) {
    rotary_factor_field(v, factor);
    trained_positions_field(v, trained_positions);
    v("rotary-low-factor", low_factor,
      {.help = "wavelengths over the positions of training divided by this are scaled",
       .min = 1e-3,
       .max = 1e6,
       .omitted_if = "1"});
    v("rotary-high-factor", high_factor,
      {.help = "wavelengths below the positions of training divided by this are not",
       .min = 1e-3,
       .max = 1e6,
       .omitted_if = "4"});
  }
};

using RotaryScalings = options::OneOf<NoRotaryScaling, LinearRotaryScaling, NtkRotaryScaling,
                                      YarnRotaryScaling, Llama3RotaryScaling>;

}  // namespace weft::nn

#endif  // WEFT_NN_POSITION_ROTARY_SCALING_H_
