// The options of weft::convert().
#ifndef WEFT_API_CONVERT_CONVERT_OPTIONS_H_
#define WEFT_API_CONVERT_CONVERT_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "weft/formats/gguf_blocks.h"
#include "weft/model_file/any_adapter.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/options/fields.h"

namespace weft::api {

struct ConvertOptions {
  std::string from_hf;
  std::string from_gguf;
  std::string output;
  bool overwrite = false;
  std::string model;
  std::string adapter;
  bool merge = false;
  std::string to_hf;
  std::string to_gguf;
  std::string to_peft;
  std::string precision = "auto";
  std::vector<std::string> check;
  std::string check_text;
  std::optional<double> check_limit = {};

  template <class V>
  void fields(V& v) {
    v("from-hf", from_hf,
      {.help = "folder of a model in Hugging Face Transformers format to read"});
    v("from-gguf", from_gguf,
      {.help = "GGUF file of a language model or an embedder to read", .reads = true});
    v("output", output,
      {.help = "model file to write, with --from-hf, --from-gguf or --merge",
       .letter = 'o',
       .writes = true});
    v("overwrite", overwrite, {.help = "replace the file of --output or --to-gguf if it exists"});
    v("model", model, {.help = "model file to read", .letter = 'm', .reads = true});
    model_file::adapter_field(v, adapter);
    v("merge", merge, {.help = "add the updates of --lora to the weights that are written"});
    v("to-hf", to_hf,
      {.help = "folder to write in Transformers format, new or empty; with --model or --merge"});
    v("to-gguf", to_gguf,
      {.help = "GGUF file to write a language model or an embedder to, of any of these sources",
       .writes = true});
    v("to-peft", to_peft,
      {.help = "folder to write the adapter of --lora to in PEFT's format, new or empty"});
    v("precision", precision,
      {.help = "type of the numbers that are written; auto: float32, in --output with --from-gguf "
               "the blocks of the file; q8_0 and q4_0 only with --to-gguf",
       .choices = "auto|float32|bfloat16|float16|q8_0|q4_0"});
    v("check", check,
      {.help =
           "language models in any format, whose predictions are compared with those of this one, "
           "with its adapter; or a file of inputs and logits written by tools/golden/logits.py: "
           "then a difference above 1e-4 of the largest logit is an error"});
    v("check-text", check_text,
      {.help = "file of lines to compare language models on, instead of the built-in ones",
       .reads = true});
    v("check-limit", check_limit,
      {.help = "a larger mean KL divergence of language models, in nats per token, is an error",
       .min = 0,
       .max = 1e6});
  }

  // Throws OptionError for options that contradict each other or are not read.
  void validate() const;
  bool has_output() const { return !output.empty() || !to_hf.empty() || !to_gguf.empty(); }
  // Whether --output keeps the blocks of a GGUF file.
  bool keeps_blocks() const { return !from_gguf.empty() && !output.empty() && !merge; }
  model_file::FloatType float_type() const;
  formats::GgufType gguf_type() const;

 private:
  void check_read() const;
  void check_precision() const;
};

// Throws what weft::convert() throws.
std::string convert(const ConvertOptions& options);

}  // namespace weft::api

#endif  // WEFT_API_CONVERT_CONVERT_OPTIONS_H_
