// weft convert: converts between Weft's model files and models of other systems.
#include <fmt/core.h>

#include <filesystem>

#include "apps/weft/command.h"
#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/log.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/hugging_face/logits.h"
#include "weft/model_file/kinds.h"

namespace weft::app {
namespace {

using model_file::FloatType;

struct ConvertOptions {
  std::string from_hf;
  std::string from_gguf;
  std::string output;
  bool overwrite = false;
  std::string model;
  std::string to_hf;
  std::string precision = "float32";
  std::string check;

  template <class V>
  void fields(V& v) {
    v("from-hf", from_hf,
      {.help = "folder of a model in Hugging Face Transformers format to read"});
    v("from-gguf", from_gguf, {.help = "GGUF file of a language model to read", .reads = true});
    v("output", output,
      {.help = "model file to write, with --from-hf or --from-gguf",
       .letter = 'o',
       .writes = true});
    v("overwrite", overwrite, {.help = "replace that file if it exists"});
    v("model", model, {.help = "model file to read", .letter = 'm', .reads = true});
    v("to-hf", to_hf, {.help = "folder to write it to in Transformers format, new or empty"});
    v("precision", precision,
      {.help = "type of the numbers in that folder", .choices = "float32|bfloat16|float16"});
    v("check", check,
      {.help = "file of inputs and logits written by tools/golden/logits.py: prints the largest "
               "difference; a difference above 1e-4 is an error",
       .reads = true});
  }

  void validate() const {
    if (!from_hf.empty() + !from_gguf.empty() + !model.empty() != 1) {
      fail<OptionError>("arguments", "expected --from-hf, --from-gguf or --model, one of them");
    }
    const auto check_unread = [&](std::string_view without, auto... names) {
      const auto is_read = [&](std::string_view name) { return ((name != names) && ...); };
      options::check_unread(*this, is_read, fmt::format("without {}", without));
    };
    if (!model.empty()) check_unread("--from-hf or --from-gguf", "output", "overwrite");
    if (model.empty()) check_unread("--model", "to-hf");
    if (to_hf.empty()) check_unread("--to-hf", "precision");
    if (output.empty()) check_unread("--output", "overwrite");
    if (output.empty() && to_hf.empty() && check.empty()) {
      fail<OptionError>("arguments", "nothing to do; expected {} or --check",
                        model.empty() ? "--output" : "--to-hf");
    }
  }
  FloatType float_type() const {
    if (precision == "float16") return FloatType::kFloat16;
    return precision == "bfloat16" ? FloatType::kBFloat16 : FloatType::kFloat32;
  }
};

constexpr double kMaxDifference = 1e-4;

// Throws OptionError where a file of the folder, or without --overwrite any file, would be lost.
void check_model_output(const ConvertOptions& options) {
  if (options.output.empty()) return;
  std::vector<std::string> inputs;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(options.from_hf, none)) {
    inputs.push_back(entry.path().string());
  }
  check_output("--output", options.output, inputs);
  if (!options.overwrite && std::filesystem::exists(options.output, none)) {
    fail<OptionError>("--output", "{} exists; expected a new file, or --overwrite", options.output);
  }
}

template <class Session>
void check_logits(const Session& session, const std::string& path) {
  if constexpr (requires { model_file::largest_logit_difference(session, path); }) {
    const double difference = model_file::largest_logit_difference(session, path);
    print(fmt::format("largest difference of logits: {:.3g}\n", difference));
    if (!(difference <= kMaxDifference)) {
      fail<NumericError>(path, "logits differ by {}; expected at most {}",
                         fmt::format("{:.3g}", difference), kMaxDifference);
    }
  } else {
    fail<OptionError>("--check", "a model of type '{}' has no logits to compare", Session::kKind);
  }
}

// Checks and writes a model that has been read; returns the exit status.
template <class Session>
int convert(const ConvertOptions& options, Session session) {
  if (!options.check.empty()) check_logits(session, options.check);
  if (!options.to_hf.empty()) {
    model_file::write_hugging_face(options.to_hf, session, options.float_type());
  }
  if (!options.output.empty()) model_file::save(options.output, session, session.parameters);
  const std::string& written = options.to_hf.empty() ? options.output : options.to_hf;
  if (!written.empty()) {
    log::info("wrote {}: {} parameters", written, session.parameters.size());
  }
  return 0;
}

}  // namespace

int run_convert(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ConvertOptions>(info, args);
  if (!options) return 0;
  check_model_output(*options);
  if (!options->model.empty()) {
    return model_file::with_session_of(options->model, [&]<class Session>() {
      return convert(*options, model_file::load<Session>(options->model));
    });
  }
  if (!options->from_gguf.empty()) {
    model_file::GgufModel model(options->from_gguf);
    return convert(*options, model.load<model_file::LanguageModelSession>());
  }
  model_file::HuggingFaceModel model(options->from_hf);
  return model_file::with_session_of(
      model.kind(), options->from_hf,
      [&]<class Session>() { return convert(*options, model.load<Session>()); },
      model_file::Sessions());
}

}  // namespace weft::app
