// Vectors of lines of text.
#ifndef WEFT_PREDICT_EMBEDDING_EMBEDDER_H_
#define WEFT_PREDICT_EMBEDDING_EMBEDDER_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/model_file/embedder.h"
#include "weft/predict/batch_options.h"
#include "weft/predict/predictor.h"

namespace weft::predict {

// What a vector is of, and how it is given.
struct VectorOptions {
  std::string prompt_name = {}, prompt = {};
  int64_t dimensions = 0;
  std::string normalise = "auto";

  template <class V>
  void fields(V& v) {
    v("prompt-name", prompt_name,
      {.help = "the text of the model's with this name is put before each line; by default that "
               "which the model says, if any"});
    v("prompt", prompt, {.help = "a text that is put before each line"});
    form_fields(v);
  }
  // How it is given alone.
  template <class V>
  void form_fields(V& v) {
    v("dimensions", dimensions,
      {.help = "the first numbers of vectors, at most those of the model; 0: all",
       .min = 0,
       .max = 65536});
    v("normalise", normalise,
      {.help = "vectors of length one; auto: as the model says, also with --dimensions",
       .choices = "auto|true|false",
       .alias = "normalize",
       .implied = "true"});
  }
};

// Of one line.
struct TextVector {
  std::vector<float> values = {};   // [E]
  std::optional<Fault> fault = {};  // why there are none
};

class Embedder {
 public:
  using Request = std::vector<int32_t>;  // tokens with special symbols
  using Answer = std::vector<float>;     // [E]
  using Result = TextVector;

  // The session has to outlive it. Throws OptionError for a prompt that the model does not have,
  // for more dimensions than it has, and where both prompts are given, whose options it names
  // `prefix`prompt and `prefix`prompt-name.
  Embedder(const model_file::EmbedderSession& session, const VectorOptions& options,
           const TextBatchOptions& batches, std::string_view prefix = "--");

  // A line without words has the vector of the special symbols, or of the prompt.
  Prepared<Request> prepare(std::span<const Line> lines, Report& report) const;
  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }
  int64_t width() const { return width_; }  // E

 private:
  const model_file::EmbedderSession& session_;
  TextBatchOptions batches_;
  std::string prompt_;
  int64_t width_ = 0, most_tokens_ = 0;
  bool normalises_ = false;  // what the model computes
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_EMBEDDING_EMBEDDER_H_
