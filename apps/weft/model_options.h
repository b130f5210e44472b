// The models that a command runs, and the type of their weights.
#ifndef APPS_WEFT_MODEL_OPTIONS_H_
#define APPS_WEFT_MODEL_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/model_file/session.h"
#include "weft/options/fields.h"

namespace weft::app {

struct PrecisionOption {
  std::string precision = "auto";

  template <class V>
  void fields(V& v) {
    v("precision", precision,
      {.help = "type of weights in memory and in products; auto: as in the file; int4: of language "
               "models",
       .choices = "auto|float32|bfloat16|int8|int4"});
  }
  model_file::Precision weights() const { return model_file::precision_named(precision); }
};

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
