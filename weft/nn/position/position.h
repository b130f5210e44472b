// Kinds of positions: how a token's place enters its embedding.
#ifndef WEFT_NN_POSITION_POSITION_H_
#define WEFT_NN_POSITION_POSITION_H_

#include <variant>

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/ops/embedding.h"

namespace weft::nn {

// One batch side on its way into a stack: the table's rows of `ids`, scaled, at their positions.
struct TokenInput {
  const Parameter& table;  // [V, D]
  double scale = 1;        // sqrt(D) in the paper
  const ops::Ids& ids;     // [N]
  const ops::RowsPtr& rows;
  double dropout = 0;
};

// The fixed sines and cosines of Vaswani et al. 2017, section 3.5.
struct SinusoidalPosition {
  Tensor embed(const TokenInput& in, Context& context) const;  // [N, D]
  template <class V>
  void fields(V&) {}
};

// A learned vector for each position up to a maximum (Gehring et al. 2017).
struct LearnedPosition {
  Parameter weight;  // [max, D]

  // Throws ShapeError for a sentence with more positions than the table.
  Tensor embed(const TokenInput& in, Context& context) const;  // [N, D]
  template <class V>
  void fields(V& v) {
    v("weight", weight);
  }
};

struct Position {
  std::variant<SinusoidalPosition, LearnedPosition> kind;

  Tensor embed(const TokenInput& in, Context& context) const {
    return std::visit([&](const auto& k) { return k.embed(in, context); }, kind);
  }
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

// "sinusoidal" or "learned"; throws OptionError for another name.
Position make_position(std::string_view name, int64_t max_positions, int64_t features);

}  // namespace weft::nn

#endif  // WEFT_NN_POSITION_POSITION_H_
