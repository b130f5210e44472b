// The models that a command runs, and how they are loaded.
#ifndef APPS_WEFT_MODEL_OPTIONS_H_
#define APPS_WEFT_MODEL_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "apps/weft/flags/library_options.h"
#include "weft/model.h"

namespace weft::app {

// A model of one kind: a value of the option `kind` of weft::load().
struct ModelOptions {
  std::string path;
  LibraryOptions loading{load_schema(), {"kind", "lora"}};

  template <class V>
  void fields(V& v) {
    path_field(v, path);
    loading.fields(v);
  }
  template <class V>
  static void path_field(V& v, std::string& path) {
    v("model", path,
      {.help = "model file; of kinds that have them also a folder of Transformers or a GGUF file",
       .letter = 'm',
       .required = true,
       .reads = true});
  }
  // Throws what weft::load() throws.
  Model load(std::string_view kind) const { return load_of_kind(path, loading, kind); }

  static Model load_of_kind(const std::string& path, const LibraryOptions& loading,
                            std::string_view kind) {
    Options options = loading.changed();
    options.push_back({"kind", kind});
    return weft::load(path, options);
  }
};

// One model, or several that work together.
struct ModelsOptions {
  std::vector<std::string> paths;
  LibraryOptions loading{load_schema(), {"kind", "lora"}};

  // `help` says what several do.
  template <class V>
  void fields(V& v, std::string_view help) {
    v("model", paths,
      {.help = help, .letter = 'm', .alias = "models", .required = true, .reads = true});
    loading.fields(v);
  }
  // Throws what weft::load() throws.
  std::vector<Model> load(std::string_view kind) const {
    std::vector<Model> out;
    for (const std::string& path : paths) {
      out.push_back(ModelOptions::load_of_kind(path, loading, kind));
    }
    return out;
  }
};

}  // namespace weft::app

#endif  // APPS_WEFT_MODEL_OPTIONS_H_
