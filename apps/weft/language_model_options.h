// The language model that a command runs.
#ifndef APPS_WEFT_LANGUAGE_MODEL_OPTIONS_H_
#define APPS_WEFT_LANGUAGE_MODEL_OPTIONS_H_

#include <string>
#include <string_view>

#include "apps/weft/model_options.h"
#include "weft/model_file/any_adapter.h"

namespace weft::app {

using model_file::adapter_field;

struct LanguageModelOptions : PrecisionOption {
  std::string path;
  std::string adapter;

  template <class V>
  void fields(V& v, std::string_view help) {
    v("model", path, {.help = help, .letter = 'm', .required = true, .reads = true});
    adapter_field(v, adapter);
    PrecisionOption::fields(v);
  }
  // Throws what load_any_packed() and attach_adapter() throw.
  model_file::LanguageModelSession load() const {
    auto session = model_file::load_any_packed<model_file::LanguageModelSession>(path, weights());
    if (!adapter.empty()) model_file::attach_adapter(session, adapter);
    return session;
  }
};

}  // namespace weft::app

#endif  // APPS_WEFT_LANGUAGE_MODEL_OPTIONS_H_
