// The options of weft::average().
#ifndef WEFT_API_CONVERT_AVERAGE_OPTIONS_H_
#define WEFT_API_CONVERT_AVERAGE_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::api {

struct AverageOptions {
  std::vector<std::string> models;
  std::string output;

  template <class V>
  void fields(V& v) {
    v("model", models,
      {.help = "model files of one network, with the same vocabularies and labels",
       .letter = 'm',
       .alias = "models",
       .required = true,
       .positional = true,
       .reads = true});
    v("output", output,
      {.help = "model file to write", .letter = 'o', .required = true, .writes = true});
  }
  void validate() const {
    if (models.size() < 2) {
      fail<OptionError>("--model", "expected two files or more, got {}", models.size());
    }
    options::check_files(*this);
  }
};

// Throws what weft::average() throws.
void average(const AverageOptions& options);

}  // namespace weft::api

#endif  // WEFT_API_CONVERT_AVERAGE_OPTIONS_H_
