// The positions of a model: their encodings, and the similarity of two rows by their distance.
#ifndef WEFT_INSPECT_POSITIONS_H_
#define WEFT_INSPECT_POSITIONS_H_

#include <string>
#include <vector>

#include "weft/data/images/image_shape.h"
#include "weft/models/encoders/text_encoder.h"
#include "weft/models/parts.h"
#include "weft/nn/position/position.h"
#include "weft/ops/layout.h"

namespace weft::inspect {

struct PositionMaps {
  std::string stack;  // "encoder"
  std::string kind;   // "rotary"
  Tensor encodings;   // F32 [P, D] that are added to the input, or empty
  // F32 [P, P], one for all heads or one for each:
  //   encodings   the cosine of two rows' encodings
  //   rotary      the mean over features of the cosine of the angle between two rows, which is the
  //               score of equal queries and keys, divided by that at distance 0
  //   in scores   what is added to the score of a query (row) and a key (column)
  std::vector<Tensor> similarity;
};

bool is_finite(const PositionMaps& maps);

// A stack's positions, the layers that they belong to, and rows that have them.
struct StackPositions {
  std::string stack;
  const nn::Position& position;
  models::LayerOptions layers;
  ops::LayoutPtr rows;
};

// The first rows of a text, or the patches of a picture.
ops::LayoutPtr rows_of_tokens(int64_t capacity);
ops::LayoutPtr rows_of_patches(const data::ImageShape& shape, int64_t patch);

// Of each stack that has positions.
std::vector<PositionMaps> position_maps(const std::vector<StackPositions>& stacks);
std::vector<PositionMaps> positions_of(const models::TextEncoder& encoder);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_POSITIONS_H_
