// Files of language models with their tokeniser.
#ifndef WEFT_MODEL_FILE_LANGUAGE_MODEL_H_
#define WEFT_MODEL_FILE_LANGUAGE_MODEL_H_

#include <string>
#include <string_view>

#include "weft/data/chat/chat_templates.h"
#include "weft/data/text/tokeniser.h"
#include "weft/model_file/session.h"
#include "weft/models/language_model.h"

namespace weft::model_file {

struct LanguageModelSession {
  static constexpr std::string_view kKind = "language-model";
  static constexpr bool kUsesBlocks = true;

  models::LanguageModel model;
  Tensor parameters;             // [P], flat, in visiting order; empty if packed
  data::TokeniserPtr tokeniser;  // of as many tokens as the model has, or fewer
  bool adds_begin = false;       // the begin symbol stands before every text
  data::ChatTemplates chat_templates = {};

  static LanguageModelSession open(ContentsReader& file);
  Contents contents() const;
};

// Throws OptionError, naming the `path` of the other, unless both have the same tokens.
void check_vocabulary(const LanguageModelSession& first, const LanguageModelSession& other,
                      std::string_view path);

// Creates a model with initial weights, sized for the vocabulary. Throws OptionError if the options
// contradict each other.
LanguageModelSession new_language_model(const models::LanguageModelOptions& options,
                                        data::TokeniserPtr tokeniser, uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_LANGUAGE_MODEL_H_
