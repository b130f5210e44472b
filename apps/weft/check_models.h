// weft convert --check with a language model: how its predictions differ from those of another one.
#ifndef APPS_WEFT_CHECK_MODELS_H_
#define APPS_WEFT_CHECK_MODELS_H_

#include <optional>
#include <string>

#include "weft/model_file/language_model.h"

namespace weft::app {

struct ModelCheck {
  std::string path;                  // of the other model, in any format
  std::string text;                  // file of lines; empty: lines of the program's own
  std::optional<double> limit = {};  // of the mean KL divergence
};

// Whether --check names a model rather than a file of logits.
bool is_language_model(const std::string& path);

// Prints how the predictions differ. Throws NumericError for logits that are not finite and a
// divergence over the limit, FileError, FormatError, OptionError.
void check_against_model(const model_file::LanguageModelSession& session, const ModelCheck& check);

}  // namespace weft::app

#endif  // APPS_WEFT_CHECK_MODELS_H_
