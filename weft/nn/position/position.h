// Positions of any kind. A kind is a line here, beside its module and its options (kinds.h).
#ifndef WEFT_NN_POSITION_POSITION_H_
#define WEFT_NN_POSITION_POSITION_H_

#include <variant>

#include "weft/nn/position/kinds.h"

namespace weft::nn {

using PositionKinds =
    options::OneOf<NoPositionOptions, IndexPositionOptions, SinusoidalPositionOptions,
                   Sinusoidal2dPositionOptions, LearnedPositionOptions, RotaryPositionOptions,
                   Rotary2dPositionOptions, RelativePositionOptions, AlibiPositionOptions>;

struct PositionOptions {
  PositionKinds kind = SinusoidalPositionOptions{};
  int64_t max_positions = 512;

  PositionPlace place() const;
  // Whether its rows have to stand in a grid.
  bool needs_grid() const;
  // Whether local layers rotate in another way than full ones.
  bool has_local_rotation() const;
  // Throws OptionError for options that contradict each other.
  void check() const;
  template <class V>
  void fields(V& v) {
    options::choice(v, "position", kind, {.help = "kind of positions"});
    v("max-positions", max_positions,
      {.help =
           "size of the tables of learned positions, and of those of linformer and synthesizers; "
           "without any, the bound that weft convert --to-hf states",
       .min = 1,
       .max = 1048576});
  }
};

struct Position {
  options::VariantMadeFrom<PositionKinds, PositionDims> kind;

  Tensor embed(const TokenInput& in, const Context& context) const;
  // The same of vectors x [N, D] in place of tokens: with the encodings, if any, and dropout.
  Tensor add_to(const Tensor& x, const ops::LayoutPtr& rows, const Dropout& dropout,
                const Context& context) const;
  AttentionPosition in_attention(const ops::LayoutPtr& rows, const Context& context) const;
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

Position make_position(const PositionKinds& kinds, const PositionDims& dims);

}  // namespace weft::nn

#endif  // WEFT_NN_POSITION_POSITION_H_
