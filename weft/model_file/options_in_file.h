// A model's options under the names that they have in its file.
#ifndef WEFT_MODEL_FILE_OPTIONS_IN_FILE_H_
#define WEFT_MODEL_FILE_OPTIONS_IN_FILE_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "weft/options/fields.h"

namespace weft::model_file {

// Renames the option --type to "architecture", since `type` in a file is the kind of model.
template <class V>
struct InFile {
  V& v;
  template <class T>
  void operator()(std::string_view name, T& field, const options::Meta& meta = {}) {
    v(name == "type" ? "architecture" : name, field, meta);
  }
  void enter(const options::Scope& scope) { v.enter(scope); }
  void leave() { v.leave(); }
  void pointer_to_fields(const void* pointer, size_t size) { v.pointer_to_fields(pointer, size); }
  void arrange(std::span<const std::string_view> names) { v.arrange(names); }
};

// options.fields(v) with the names of a file.
template <class Options>
struct OptionsInFile {
  Options& options;
  template <class V>
  void fields(V& v) {
    InFile<V> in_file{v};
    options.fields(in_file);
  }
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_OPTIONS_IN_FILE_H_
