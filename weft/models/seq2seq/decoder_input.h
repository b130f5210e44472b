// The input of a decoder that predicts all positions of a sequence at once.
#ifndef WEFT_MODELS_SEQ2SEQ_DECODER_INPUT_H_
#define WEFT_MODELS_SEQ2SEQ_DECODER_INPUT_H_

#include <span>
#include <vector>

#include "weft/core/random.h"
#include "weft/data/batch.h"
#include "weft/models/seq2seq/generation_options.h"
#include "weft/ops/layout.h"

namespace weft::models {

// Tokens of the target, some of them masked (Ghazvininejad et al. 2019), or of the source, copied
// evenly over the positions (Gu et al. 2018).
struct DecoderInput {
  ops::LayoutPtr rows;               // N positions
  std::vector<int32_t> ids;          // [N]
  std::vector<int32_t> masked = {};  // masked rows, in rising order
  bool is_copied = false;            // ids are the source's
};

// A source copied to `count` positions: position t has source[floor(t S / count)].
struct SourceCopy {
  std::span<const int32_t> source;
  int64_t count;
};
// Packed copies; `first` is the first one's index in the global update.
DecoderInput copied_input(std::span<const SourceCopy> copies, int32_t first = 0);

// The tokens of a sequence of `count` that are masked in training, in rising order: their number is
// uniform from 1 to count, and each set of that size is equally likely. A function of key (seed,
// update) and of the sequence's index in the global update alone. Empty for count 0.
std::vector<int32_t> draw_masked(PhiloxKey key, int32_t sequence, int32_t count);

// What is predicted of a batch: row rows[i] of the input predicts token targets[i] of the batch's
// packed targets.
struct MaskedTargets {
  DecoderInput input;
  std::vector<int32_t> rows, targets;
};

// For mask-predict: the targets with their end symbols, where the tokens of draw_masked() are
// masked, or without a key all but the end symbols.
MaskedTargets mask_targets(const data::Tokens& target, int32_t mask_id, const PhiloxKey* key);

// For parallel: copied sources. With a classifier of lengths there is a position for each target
// token, the end symbol's included but not predicted; otherwise positions_for() the source, or more
// where the target is longer, and the end symbol is predicted too.
MaskedTargets copy_sources(const data::Batch& batch, const GenerationKinds& generation);

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_DECODER_INPUT_H_
