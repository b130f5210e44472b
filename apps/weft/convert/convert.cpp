// weft convert: converts between Weft's model files and models of other systems.
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <type_traits>

#include "apps/weft/check_models.h"
#include "apps/weft/command.h"
#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/log.h"
#include "weft/model_file/gguf/gguf_export.h"
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
  std::string to_gguf;
  std::string precision = "auto";
  std::string check;
  std::string check_text;
  std::optional<double> check_limit = {};

  template <class V>
  void fields(V& v) {
    v("from-hf", from_hf,
      {.help = "folder of a model in Hugging Face Transformers format to read"});
    v("from-gguf", from_gguf, {.help = "GGUF file of a language model to read", .reads = true});
    v("output", output,
      {.help = "model file to write, with --from-hf or --from-gguf",
       .letter = 'o',
       .writes = true});
    v("overwrite", overwrite, {.help = "replace the file of --output or --to-gguf if it exists"});
    v("model", model, {.help = "model file to read", .letter = 'm', .reads = true});
    v("to-hf", to_hf, {.help = "folder to write it to in Transformers format, new or empty"});
    v("to-gguf", to_gguf,
      {.help = "GGUF file to write a language model to, of any of these sources", .writes = true});
    v("precision", precision,
      {.help = "type of the numbers that are written; auto: float32, in --output with --from-gguf "
               "the blocks of the file; q8_0 and q4_0 only with --to-gguf",
       .choices = "auto|float32|bfloat16|float16|q8_0|q4_0"});
    v("check", check,
      {.help =
           "a language model in any format, whose predictions are compared, or a file of inputs "
           "and logits written by tools/golden/logits.py: then a difference above 1e-4 of the "
           "largest logit is an error"});
    v("check-text", check_text,
      {.help = "file of lines to compare language models on, instead of the built-in ones",
       .reads = true});
    v("check-limit", check_limit,
      {.help = "a larger mean KL divergence of language models, in nats per token, is an error",
       .min = 0,
       .max = 1e6});
  }

  void validate() const {
    if (!from_hf.empty() + !from_gguf.empty() + !model.empty() != 1) {
      fail<OptionError>("arguments", "expected --from-hf, --from-gguf or --model, one of them");
    }
    const auto check_unread = [&](std::string_view without, auto... names) {
      const auto is_read = [&](std::string_view name) { return ((name != names) && ...); };
      options::check_unread(*this, is_read, fmt::format("without {}", without));
    };
    if (!model.empty()) check_unread("--from-hf or --from-gguf", "output");
    if (model.empty()) check_unread("--model", "to-hf");
    const bool keeps_blocks = !from_gguf.empty() && !output.empty();
    if (to_hf.empty() && to_gguf.empty() && !keeps_blocks) {
      check_unread("--to-hf, --to-gguf, or --from-gguf with --output", "precision");
    }
    if (to_gguf.empty() && keeps_blocks && precision != "auto" && precision != "float32") {
      fail<OptionError>("--precision", "expected auto or float32 with --from-gguf, got {}",
                        precision);
    }
    if (output.empty() && to_gguf.empty()) check_unread("--output or --to-gguf", "overwrite");
    if (check.empty()) check_unread("--check", "check-text", "check-limit");
    if (!to_hf.empty() && precision.starts_with("q")) {
      fail<OptionError>("--precision", "{} needs --to-gguf; expected float32, bfloat16 or float16",
                        precision);
    }
    if (output.empty() && to_hf.empty() && to_gguf.empty() && check.empty()) {
      fail<OptionError>("arguments", "nothing to do; expected {}, --to-gguf or --check",
                        model.empty() ? "--output" : "--to-hf");
    }
  }
  FloatType float_type() const {
    if (precision == "float16") return FloatType::kFloat16;
    return precision == "bfloat16" ? FloatType::kBFloat16 : FloatType::kFloat32;
  }
  formats::GgufType gguf_type() const {
    using formats::GgufType;
    if (precision == "q8_0") return GgufType::kQ8_0;
    if (precision == "q4_0") return GgufType::kQ4_0;
    if (precision == "float16") return GgufType::kF16;
    return precision == "bfloat16" ? GgufType::kBF16 : GgufType::kF32;
  }
};

constexpr double kMaxDifference = 1e-4;

// Throws OptionError where an input, or without --overwrite any file, would be lost.
void check_written_file(const ConvertOptions& options, std::string_view option,
                        const std::string& path) {
  if (path.empty()) return;
  std::vector<std::string> inputs;
  std::error_code none;
  for (const std::string& input :
       {options.model, options.from_gguf, options.from_hf, options.check, options.check_text}) {
    if (!input.empty()) inputs.push_back(input);
    for (const auto& entry : std::filesystem::directory_iterator(input, none)) {
      inputs.push_back(entry.path().string());
    }
  }
  check_output(option, path, inputs);
  if (!options.overwrite && std::filesystem::exists(path, none)) {
    fail<OptionError>(option, "{} exists; expected a new file, or --overwrite", path);
  }
}

template <class Session>
void check_logits(const Session& session, const std::string& path) {
  if constexpr (requires { model_file::largest_logit_difference(session, path); }) {
    const double difference = model_file::largest_logit_difference(session, path);
    print(fmt::format("largest difference of logits: {:.3g} of the largest logit\n", difference));
    if (!(difference <= kMaxDifference)) {
      fail<NumericError>(path, "logits differ by {} of the largest one; expected at most {}",
                         fmt::format("{:.3g}", difference), kMaxDifference);
    }
  } else {
    fail<OptionError>("--check", "a model of type '{}' has no logits to compare", Session::kKind);
  }
}

template <class Session>
void check(const ConvertOptions& options, const Session& session) {
  if constexpr (std::is_same_v<Session, model_file::LanguageModelSession>) {
    if (is_language_model(options.check)) {
      return check_against_model(
          session,
          {.path = options.check, .text = options.check_text, .limit = options.check_limit});
    }
  }
  if (!options.check_text.empty() || options.check_limit) {
    fail<OptionError>(options.check_limit ? "--check-limit" : "--check-text",
                      "needs a language model in --check");
  }
  check_logits(session, options.check);
}

template <class Session>
void export_gguf(const ConvertOptions& options, const Session& session) {
  if constexpr (requires { model_file::write_gguf(options.to_gguf, session, {}); }) {
    model_file::write_gguf(options.to_gguf, session, options.gguf_type());
  } else {
    fail<OptionError>("--to-gguf", "a model of type '{}'; expected a language model",
                      Session::kKind);
  }
}

// Checks and writes a model that has been read; returns the exit status.
template <class Session>
int convert(const ConvertOptions& options, Session session) {
  if (!options.check.empty()) check(options, session);
  if (!options.to_hf.empty()) {
    model_file::write_hugging_face(options.to_hf, session, options.float_type());
  }
  if (!options.to_gguf.empty()) export_gguf(options, session);
  if (!options.output.empty()) model_file::save(options.output, session, session.parameters);
  for (const std::string& written : {options.to_hf, options.to_gguf, options.output}) {
    if (!written.empty()) log::info("wrote {}: {} parameters", written, session.parameters.size());
  }
  return 0;
}

// Blocks are kept unless the numbers are needed.
int convert_gguf(const ConvertOptions& options) {
  model_file::GgufModel model(options.from_gguf);
  if (options.precision == "float32" || options.output.empty()) {
    return convert(options, model.load<model_file::LanguageModelSession>());
  }
  ConvertOptions others = options;
  others.output.clear();
  if (!options.check.empty() || !options.to_gguf.empty()) {
    convert(others, model.load<model_file::LanguageModelSession>());
  }
  model.save_stored<model_file::LanguageModelSession>(options.output);
  log::info("wrote {}", options.output);
  return 0;
}

}  // namespace

int run_convert(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ConvertOptions>(info, args);
  if (!options) return 0;
  check_written_file(*options, "--output", options->output);
  check_written_file(*options, "--to-gguf", options->to_gguf);
  if (!options->model.empty()) {
    return model_file::with_session_of(options->model, [&]<class Session>() {
      return convert(*options, model_file::load<Session>(options->model));
    });
  }
  if (!options->from_gguf.empty()) return convert_gguf(*options);
  model_file::HuggingFaceModel model(options->from_hf);
  return model_file::with_session_of(
      model.kind(), options->from_hf,
      [&]<class Session>() { return convert(*options, model.load<Session>()); },
      model_file::Sessions());
}

}  // namespace weft::app
