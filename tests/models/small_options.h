// Options of a small model, a change of them, and which of its attentions a change is for.
#ifndef TESTS_MODELS_SMALL_OPTIONS_H_
#define TESTS_MODELS_SMALL_OPTIONS_H_

#include <cstdint>

#include "weft/models/seq2seq/seq2seq.h"

namespace weft::models {

inline constexpr Seq2SeqDims kSizes{
    .source_vocab = 11, .target_vocab = 9, .begin_id = 1, .end_id = 0};
inline constexpr int64_t kFeatures = 8;

using Change = void (*)(Seq2SeqOptions& o);
inline void nothing(Seq2SeqOptions&) {}

inline Seq2SeqOptions plain_options() {
  Seq2SeqOptions o;
  o.encoder.enc_depth = o.decoder.dec_depth = 1;
  o.encoder.dim_emb = kFeatures;
  o.encoder.transformer.attention.heads = 2;
  o.encoder.transformer.feed_forward.inner = 12;
  o.encoder.position.max_positions = 16;
  o.encoder.transformer.dropout = 0;
  return o;
}

inline Seq2SeqOptions changed(Change change) {
  Seq2SeqOptions o = plain_options();
  change(o);
  return o;
}

// The part of a model whose output a test compares: the encoder, a decoder with self-attention
// only, or a decoder with cross-attention only.
enum class Part { kEncoder, kSelf, kCross };
inline constexpr Part kParts[] = {Part::kEncoder, Part::kSelf, Part::kCross};

struct Where {
  bool encoder = false, self = false, cross = false;
  bool has(Part part) const {
    return part == Part::kEncoder ? encoder : part == Part::kSelf ? self : cross;
  }
};
inline constexpr Where kAll{true, true, true}, kInSelf{true, true, false},
    kInEncoder{true, false, false}, kInDecoder{false, true, false}, kInCross{false, false, true},
    kNowhere{};

}  // namespace weft::models

#endif  // TESTS_MODELS_SMALL_OPTIONS_H_
