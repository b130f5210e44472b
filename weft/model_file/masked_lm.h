// Files of masked language models with their tokeniser.
#ifndef WEFT_MODEL_FILE_MASKED_LM_H_
#define WEFT_MODEL_FILE_MASKED_LM_H_

#include <string>
#include <string_view>

#include "weft/data/text/tokeniser.h"
#include "weft/model_file/session.h"
#include "weft/models/masked_lm/masked_lm.h"

namespace weft::model_file {

struct MaskedLmSession {
  static constexpr std::string_view kKind = "masked-lm";

  models::MaskedLm model;
  Tensor parameters;             // [P], flat, in visiting order; empty if packed
  data::TokeniserPtr tokeniser;  // of as many tokens as the model has, or fewer
  int64_t max_length = 0;        // tokens of a text without special symbols, at most; 0: any

  // What stands for a mask in a text: the tokeniser's mask symbol, or else [MASK].
  std::string mask_text() const;

  static MaskedLmSession open(ContentsReader& file);
  Contents contents() const;
};

// What a tokeniser fixes of a model. Where it has no mask symbol, the model has a token more.
models::MaskedLmDims masked_lm_dims_of(const data::Tokeniser& tokeniser);

// Creates a model with initial weights, sized for the vocabulary. Throws OptionError if the options
// contradict each other.
MaskedLmSession new_masked_lm(const models::MaskedLmOptions& options, data::TokeniserPtr tokeniser,
                              uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MASKED_LM_H_
