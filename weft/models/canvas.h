// What a decoder that predicts all positions of a sentence at once goes in with.
#ifndef WEFT_MODELS_CANVAS_H_
#define WEFT_MODELS_CANVAS_H_

#include <span>
#include <vector>

#include "weft/data/batch.h"
#include "weft/models/seq2seq_options.h"
#include "weft/ops/rows.h"

namespace weft::models {

// Tokens of the target, some of them behind a mask (Ghazvininejad et al. 2019), or of the source,
// copied evenly over the positions (Gu et al. 2018).
struct Canvas {
  ops::RowsPtr rows;                 // N positions
  std::vector<int32_t> ids;          // [N]
  std::vector<int32_t> masked = {};  // rows whose token is hidden, rising
  bool is_copied = false;            // ids are the source's
};

// A source over `count` positions: at position t stands source[floor(t S / count)].
struct SourceCopy {
  std::span<const int32_t> source;
  int64_t count;
};
// One such sentence after the other; `first` is the first one's index in the global update.
Canvas copied_canvas(std::span<const SourceCopy> copies, int32_t first = 0);

// Which of a sentence's `count` tokens are masked in training, rising: as many as a number drawn
// evenly from 1 to count says, each set of them equally likely. A function of key (seed, update)
// and of the sentence's index in the global update alone. None of none.
std::vector<int32_t> draw_masked(PhiloxKey key, int32_t sentence, int32_t count);

// A batch with something to predict, and where: row rows[i] of the canvas predicts token at[i] of
// the batch's target.
struct Predicted {
  Canvas canvas;
  std::vector<int32_t> rows, at;
};

// Of mask-predict: targets, end symbol included, of which draw_masked() hides some, or all but the
// end symbols with no key.
Predicted mask_targets(const data::Tokens& target, int32_t mask_id, const PhiloxKey* key);

// Of parallel: as many positions as the target has tokens, with a classifier of lengths, the end
// symbol's being there but not predicted; else positions_for() the source, or more where the target
// has more, and the end symbol is predicted too.
Predicted copy_sources(const data::Batch& batch, const Seq2SeqOptions& options);

}  // namespace weft::models

#endif  // WEFT_MODELS_CANVAS_H_
