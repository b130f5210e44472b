// Files of encoder-decoder models with their source and target tokenisers.
#ifndef WEFT_MODEL_FILE_TRANSLATOR_H_
#define WEFT_MODEL_FILE_TRANSLATOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/model_file/session.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::model_file {

// The default exponent of the length that divides log-probabilities in decoding.
inline constexpr double kDefaultNormalize = 1;

struct TranslatorSession {
  static constexpr std::string_view kKind = "seq2seq";

  models::Seq2Seq model;
  Tensor parameters;                           // [P], flat, in visiting order; empty if packed
  std::vector<data::TokeniserPtr> tokenisers;  // source, target
  double normalize = kDefaultNormalize;        // the default of --normalize

  static TranslatorSession open(ContentsReader& file);
  Contents contents() const;
  const data::Tokeniser& source() const { return *tokenisers.front(); }
  const data::Tokeniser& target() const { return *tokenisers.back(); }
};

// Throws OptionError unless `other`, loaded from `path`, has the same vocabularies and begin and
// end symbols as `first`. The message refers to `first` as `reference`.
void check_vocabularies(const TranslatorSession& first, const TranslatorSession& other,
                        std::string_view path, std::string_view reference);

// Creates a model with initial weights, sized for the vocabularies. Throws OptionError if the
// options contradict the vocabularies or each other.
TranslatorSession new_translator(const models::Seq2SeqOptions& options,
                                 const std::vector<data::TokeniserPtr>& tokenisers, uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_TRANSLATOR_H_
