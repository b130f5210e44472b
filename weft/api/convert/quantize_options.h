// The options of weft::quantize().
#ifndef WEFT_API_CONVERT_QUANTIZE_OPTIONS_H_
#define WEFT_API_CONVERT_QUANTIZE_OPTIONS_H_

#include <string>

#include "weft/options/fields.h"

namespace weft::api {

struct QuantizeOptions {
  std::string model;
  std::string output;
  std::string precision = "int8";
  std::string check_text;

  template <class V>
  void fields(V& v) {
    v("model", model,
      {.help = "model of any kind: a model file, a folder of Transformers, or a GGUF file",
       .letter = 'm',
       .required = true,
       .replaces_file = true});
    v("output", output,
      {.help = "model file to write", .letter = 'o', .required = true, .writes = true});
    v("precision", precision,
      {.help =
           "type of matrices: float32, bfloat16, int8 (a scale for each row; in language models "
           "for each 32 columns) or int4 (language models only, a scale for each 32 columns)",
       .choices = "int8|int4|bfloat16|float32"});
    v("check-text", check_text,
      {.help = "file of lines on which the perplexity of a language model is measured before and "
               "after, instead of the built-in ones",
       .reads = true});
  }
};

// Throws what weft::quantize() throws.
void quantize(const QuantizeOptions& options);

}  // namespace weft::api

#endif  // WEFT_API_CONVERT_QUANTIZE_OPTIONS_H_
