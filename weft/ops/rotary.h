// Rotary positions.
#ifndef WEFT_OPS_ROTARY_H_
#define WEFT_OPS_ROTARY_H_

#include <memory>
#include <span>
#include <vector>

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// How fast the pairs of features of a head, or of an axis of it, are rotated.
struct RotaryFrequencies {
  std::vector<double> rates;  // [half], radians a position
  double magnitude = 1;       // of rotated queries and of keys, times that of plain ones
};
using RotaryFrequenciesPtr = std::shared_ptr<const RotaryFrequencies>;
// The rates base^(-f / half) of the paper.
RotaryFrequencies rotary_frequencies(double base, int64_t half);

// Cosines and sines of the angles of rows, computed once for all layers of a pass: of pair f at
// position p, of the angle p * rates[f], times the magnitude.
struct RotaryAngles {
  int64_t axes = 1;           // positions of a row
  std::vector<int32_t> rows;  // [N * axes], of the tables
  // [P, 2 * half] for the P distinct positions, in F64 and rounded to F32: cosines, then sines.
  Tensor exact, rounded;
  double magnitude = 1;
};
using RotaryAnglesPtr = std::shared_ptr<const RotaryAngles>;
// The angles of rows with positions position[n * axes + a].
RotaryAnglesPtr rotary_angles(std::span<const int32_t> position, int64_t axes,
                              const RotaryFrequencies& frequencies);

// How rows are rotated: each head's columns in parts, one for each axis.
struct RotaryParams {
  RotaryAnglesPtr angles;
  int64_t heads = 1;
};

// Rotates queries or keys x [N, H*K] by their positions, so that a score depends on the distance of
// its two rows alone (Su et al. 2021, arXiv 2104.09864): of a part with features (a, b), each half
// of it, y = magnitude * (a cos - b sin, b cos + a sin) with the angle position * rates[f] for
// feature f of a half. With two axes a row has two coordinates, as of a patch in a picture (CroCo
// v2, Weinzaepfel et al. 2023, arXiv 2211.10408). Throws ShapeError unless 2 * axes * heads divides
// the columns, half of a part has a rate for each feature, and every row has its positions.
Tensor rotary(const Tensor& x, const RotaryParams& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROTARY_H_
