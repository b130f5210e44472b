// The models that a command runs, and the type of their weights.
#ifndef APPS_WEFT_MODEL_OPTIONS_H_
#define APPS_WEFT_MODEL_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/model_file/session.h"
#include "weft/options/fields.h"

namespace weft::app {

using model_file::PrecisionOption;

struct ModelOptions : PrecisionOption {
  std::string path;

  template <class V>
  void fields(V& v) {
    path_field(v, path);
    PrecisionOption::fields(v);
  }
  template <class V>
  static void path_field(V& v, std::string& path) {
    v("model", path, {.help = "model file", .letter = 'm', .required = true, .reads = true});
  }
  // Throws what model_file::load_packed throws.
  template <class Session>
  Session load() const {
    return model_file::load_packed<Session>(path, weights());
  }
};

// One model, or several that work together.
struct ModelsOptions : PrecisionOption {
  std::vector<std::string> paths;

  // `help` says what several do.
  template <class V>
  void fields(V& v, std::string_view help) {
    v("model", paths,
      {.help = help, .letter = 'm', .alias = "models", .required = true, .reads = true});
    PrecisionOption::fields(v);
  }
  // Throws what model_file::load_packed throws.
  template <class Session>
  std::vector<Session> load() const {
    std::vector<Session> out;
    for (const std::string& path : paths) {
      out.push_back(model_file::load_packed<Session>(path, weights()));
    }
    return out;
  }
};

}  // namespace weft::app

#endif  // APPS_WEFT_MODEL_OPTIONS_H_
