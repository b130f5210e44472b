// Translations, and how they are written.
#ifndef WEFT_PREDICT_TRANSLATION_TRANSLATION_H_
#define WEFT_PREDICT_TRANSLATION_TRANSLATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/decode/alignment.h"
#include "weft/decode/search/hypothesis.h"
#include "weft/predict/line.h"

namespace weft::decode {
struct DecodeOptions;
}

namespace weft::predict {

struct TranslatedText {
  std::string text;
  std::vector<int32_t> tokens = {};
  double log_probability = 0;
  double score = 0;                                // with the length penalty
  std::vector<double> token_scores = {};           // where they are asked for
  std::vector<decode::Alignment> alignments = {};  // likewise: of each piece of the source
};

struct TranslatedLine {
  std::vector<TranslatedText> hypotheses;  // one, or with --n-best those of the beam, the best
                                           // first; with a fault one that is empty
  std::optional<Fault> fault = {};
};

// What was found for a piece of a source, and the alignment of each hypothesis, or none.
struct TranslatedPiece {
  decode::NBest found;
  std::vector<decode::Alignment> alignments = {};

  bool is_finite() const;
};

std::string text_of(std::span<const int32_t> tokens, const data::Tokeniser& target,
                    const decode::DecodeOptions& options);

// The hypotheses of one piece, or the best ones of several, joined (data::join_sentences), with the
// sums of their scores.
std::vector<TranslatedText> texts_of(std::span<TranslatedPiece> pieces,
                                     const data::Tokeniser& target,
                                     const decode::DecodeOptions& options);

// As the options ask for it, without a last line break: the text, or with --n-best a line for each
// hypothesis that begins with `number`.
std::string written(const TranslatedLine& line, int64_t number,
                    const decode::DecodeOptions& options);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_TRANSLATION_H_
