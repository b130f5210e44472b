// The type of a model's weights in a command that uses it.
#ifndef APPS_WEFT_PRECISION_H_
#define APPS_WEFT_PRECISION_H_

#include <string>

#include "weft/model_file/model_file.h"
#include "weft/options/fields.h"

namespace weft::app {

struct PrecisionOptions {
  std::string name = "auto";

  template <class V>
  void fields(V& v) {
    v("precision", name,
      {.help = "type of weights in memory and in products; auto: as in the file",
       .choices = "auto|float32|bfloat16|int8"});
  }
  model_file::Precision value() const { return model_file::precision_named(name); }
};

}  // namespace weft::app

#endif  // APPS_WEFT_PRECISION_H_
