// The language model that a command runs.
#ifndef APPS_WEFT_LANGUAGE_MODEL_OPTIONS_H_
#define APPS_WEFT_LANGUAGE_MODEL_OPTIONS_H_

#include <string>
#include <string_view>

#include "apps/weft/model_options.h"

namespace weft::app {

struct LanguageModelOptions {
  std::string path;
  LibraryOptions loading{load_schema(), {"kind"}};

  template <class V>
  void fields(V& v, std::string_view help) {
    v("model", path, {.help = help, .letter = 'm', .required = true, .reads = true});
    loading.fields(v);
  }
  // Throws what weft::load() throws.
  Model load() const { return ModelOptions::load_of_kind(path, loading, "language-model"); }
};

}  // namespace weft::app

#endif  // APPS_WEFT_LANGUAGE_MODEL_OPTIONS_H_
