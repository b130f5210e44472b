// How the predictions of two language models differ.
#ifndef WEFT_API_CONVERT_CHECK_MODELS_H_
#define WEFT_API_CONVERT_CHECK_MODELS_H_

#include <optional>
#include <string>
#include <vector>

#include "weft/model_file/language_model.h"

namespace weft::api {

// The lines of a file that are not empty; without a path lines of the program's own. Throws
// FileError, FormatError.
std::vector<std::string> texts_to_compare(const std::string& path);

struct ModelCheck {
  std::string path;                  // of the other model, in any format
  std::string text;                  // path of texts_to_compare()
  std::optional<double> limit = {};  // of the mean KL divergence
};

// Whether --check names a model rather than a file of logits.
bool is_language_model(const std::string& path);

// How the predictions differ, as lines of text. Throws NumericError for logits that are not finite
// and a divergence over the limit, FileError, FormatError, OptionError.
std::string check_against_model(const model_file::LanguageModelSession& session,
                                const ModelCheck& check);

}  // namespace weft::api

#endif  // WEFT_API_CONVERT_CHECK_MODELS_H_
