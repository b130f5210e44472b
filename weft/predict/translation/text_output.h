// Hypotheses as lines of text, in the forms that the options ask for.
#ifndef WEFT_PREDICT_TRANSLATION_TEXT_OUTPUT_H_
#define WEFT_PREDICT_TRANSLATION_TEXT_OUTPUT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/decode/alignment.h"
#include "weft/decode/options.h"
#include "weft/decode/search/hypothesis.h"

namespace weft::predict {

class TextOutput {
 public:
  // The tokeniser has to outlive it.
  TextOutput(const data::Tokeniser& target, decode::DecodeOptions options)
      : target_(&target), options_(std::move(options)) {}

  std::string text_of(std::span<const int32_t> tokens) const;

  // The output of line number `line`, from the hypotheses of its pieces and their alignments, which
  // are not read unless the options ask for them: the translation, or with --n-best its hypotheses,
  // a line each. Of several pieces the best hypotheses are joined, with the sums of their scores.
  std::string line(std::span<const decode::NBest> pieces,
                   std::span<const std::vector<decode::Alignment>> alignments, int64_t line) const;

 private:
  struct Decoded {
    std::string text;
    double log_probability = 0;
    double score = 0;
    std::vector<double> token_scores = {};
    std::string alignment = {};
  };
  std::vector<Decoded> hypotheses_of(const decode::NBest& n_best,
                                     std::span<const decode::Alignment> alignments) const;
  Decoded join(std::span<const decode::NBest> pieces,
               std::span<const std::vector<decode::Alignment>> alignments) const;
  // What follows the text on its line.
  std::string annotations(const Decoded& t) const;

  const data::Tokeniser* target_;
  decode::DecodeOptions options_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_TEXT_OUTPUT_H_
