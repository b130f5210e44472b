// How long sentences may be for the tables of places that a model has, and how many rows they take.
#ifndef WEFT_MODELS_CAPACITY_H_
#define WEFT_MODELS_CAPACITY_H_

#include "weft/models/seq2seq/seq2seq_options.h"

namespace weft::models {

// The most tokens, end symbol included, that a side's learned tables, of positions or in attention,
// have room for; a very large number where it has none.
int64_t table_capacity(const Seq2SeqOptions& options, Side side);

// How many positions a decoder that copies its source has for S source tokens, end symbol included:
// of --generation ctc, or of parallel with --length-from end.
int64_t positions_for(const Seq2SeqOptions& options, int64_t source_tokens);

// Rows of the decoder in training for a source and a target of so many tokens, end symbols
// included.
int64_t decoder_rows(const Seq2SeqOptions& options, int64_t source_tokens, int64_t target_tokens);

// The most tokens, without end symbols, that the learned tables of encoder and decoder
// (table_capacity()) have room for in a source and in its target; very large numbers without
// tables.
struct LongestSides {
  int64_t source, target;
};
LongestSides longest_sides(const Seq2SeqOptions& options);

// The most tokens of a translation, end symbol included.
int64_t target_capacity(const Seq2SeqOptions& options);

// The most source tokens, end symbol included, that can be translated whole: as many as the
// encoder's tables hold, and with ctc, whose positions cannot be cut, as the decoder's hold
// positions for.
int64_t source_capacity(const Seq2SeqOptions& options);

}  // namespace weft::models

#endif  // WEFT_MODELS_CAPACITY_H_
