// What an encoder leaves of a batch's sources for the decoder.
#ifndef WEFT_NN_MEMORY_H_
#define WEFT_NN_MEMORY_H_

#include <optional>
#include <vector>

#include "weft/ops/layout.h"
#include "weft/ops/rotary.h"
#include "weft/tensor/tensor.h"

namespace weft::nn {

struct Memory {
  Tensor states;        // [M, D], or [M, C] of a recurrent encoder
  ops::LayoutPtr rows;  // M rows
  // What a recurrent decoder starts from. Of a recurrent encoder, for each layer its state after
  // the last token of every sequence, [B, S], or the outputs of both directions, [B, 2*D]; of a
  // convolutional encoder the mean of its states, [B, D]; of a Transformer nothing.
  std::vector<Tensor> initial_decoder_state = {};
  // The rotary positions of the rows, as the keys of cross-attention have them; queries then have
  // those of their own rows. Empty: cross-attention has none, as between two texts.
  std::optional<ops::RotaryParams> rotary = {};
};

}  // namespace weft::nn

#endif  // WEFT_NN_MEMORY_H_
