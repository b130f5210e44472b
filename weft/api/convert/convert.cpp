#include "weft/convert.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <type_traits>

#include "weft/api/convert/check_models.h"
#include "weft/api/convert/convert_options.h"
#include "weft/api/read_options.h"
#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/log.h"
#include "weft/model_file/gguf/gguf_export.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/hugging_face/logits.h"
#include "weft/model_file/kinds.h"
#include "weft/model_file/peft/write_peft.h"
#include "weft/train/file_lock.h"

namespace weft {
namespace api {
namespace {

constexpr double kMaxDifference = 1e-4;

// Throws OptionError where an input, or without --overwrite any file, would be lost, and FileError
// for the model of a training that runs.
void check_written_file(const ConvertOptions& options, std::string_view option,
                        const std::string& path) {
  if (path.empty()) return;
  std::vector<std::string> inputs;
  std::error_code none;
  std::vector<std::string> read = {options.model, options.from_gguf, options.from_hf,
                                   options.adapter, options.check_text};
  read.insert(read.end(), options.check.begin(), options.check.end());
  for (const std::string& input : read) {
    if (!input.empty()) inputs.push_back(input);
    for (const auto& entry : std::filesystem::directory_iterator(input, none)) {
      inputs.push_back(entry.path().string());
    }
  }
  check_output(option, path, inputs);
  if (!options.overwrite && std::filesystem::exists(path, none)) {
    fail<OptionError>(option, "{} exists; expected a new file, or --overwrite", path);
  }
  train::check_not_training(path);
}

template <class Session>
std::string check_logits(const Session& session, const std::string& path) {
  if constexpr (requires { model_file::largest_logit_difference(session, path); }) {
    const double difference = model_file::largest_logit_difference(session, path);
    if (!(difference <= kMaxDifference)) {
      fail<NumericError>(path, "logits differ by {} of the largest one; expected at most {}",
                         fmt::format("{:.3g}", difference), kMaxDifference);
    }
    return fmt::format("largest difference of logits: {:.3g} of the largest logit\n", difference);
  } else {
    fail<OptionError>("--check", "a model of type '{}' has no logits to compare", Session::kKind);
  }
}

// Compares the model with one of --check.
template <class Session>
std::string check(const ConvertOptions& options, const Session& session, const std::string& other) {
  if constexpr (std::is_same_v<Session, model_file::LanguageModelSession>) {
    if (is_language_model(other)) {
      return check_against_model(
          session, {.path = other, .text = options.check_text, .limit = options.check_limit});
    }
  }
  if (!options.check_text.empty() || options.check_limit) {
    fail<OptionError>(options.check_limit ? "--check-limit" : "--check-text",
                      "needs a language model in --check");
  }
  return check_logits(session, other);
}

// The model with the adapter of --lora, in its weights with --merge.
template <class Session>
void read_adapter(const ConvertOptions& options, Session& session) {
  if (options.adapter.empty()) return;
  if constexpr (std::is_same_v<Session, model_file::LanguageModelSession>) {
    model_file::attach_adapter(session, options.adapter);
    if (options.merge) model_file::merge_adapter(session);
  } else {
    fail<OptionError>("--lora", "a model of type '{}'; expected a language model", Session::kKind);
  }
}

template <class Session>
void export_gguf(const ConvertOptions& options, const Session& session) {
  if constexpr (requires { model_file::write_gguf(options.to_gguf, session, {}); }) {
    model_file::write_gguf(options.to_gguf, session, options.gguf_type());
  } else {
    fail<OptionError>("--to-gguf", "a model of type '{}'; expected a language model or an embedder",
                      Session::kKind);
  }
}

// Writes the adapter of a language model.
template <class Session>
void export_adapter(const ConvertOptions& options, Session& session) {
  if constexpr (std::is_same_v<Session, model_file::LanguageModelSession>) {
    const std::string& base =
        options.model.empty() ? options.from_hf + options.from_gguf : options.model;
    model_file::write_peft(options.to_peft, model_file::read_any_adapter(options.adapter, session),
                           session, base);
    log::info("wrote {}", options.to_peft);
  }
}

// Checks and writes a model that has been read; returns what the checks found.
template <class Session>
std::string convert_session(const ConvertOptions& options, Session session) {
  read_adapter(options, session);
  std::string found;
  for (const std::string& other : options.check) found += check(options, session, other);
  if (!options.to_peft.empty()) export_adapter(options, session);
  if (!options.to_hf.empty()) {
    model_file::write_hugging_face(options.to_hf, session, options.float_type());
  }
  if (!options.to_gguf.empty()) export_gguf(options, session);
  if (!options.output.empty()) model_file::save(options.output, session, session.parameters);
  for (const std::string& written : {options.to_hf, options.to_gguf, options.output}) {
    if (!written.empty()) log::info("wrote {}: {} parameters", written, session.parameters.size());
  }
  return found;
}

// Blocks are kept unless the numbers are needed.
template <class Session>
std::string convert_gguf(const ConvertOptions& options, model_file::GgufModel& model) {
  if (options.precision == "float32" || !options.keeps_blocks()) {
    return convert_session(options, model.load<Session>());
  }
  ConvertOptions others = options;
  others.output.clear();
  std::string found;
  if (!options.check.empty() || !options.to_gguf.empty()) {
    found = convert_session(others, model.load<Session>());
  }
  model.save_stored<Session>(options.output);
  log::info("wrote {}", options.output);
  return found;
}

}  // namespace

std::string convert(const ConvertOptions& options) {
  check_written_file(options, "--output", options.output);
  check_written_file(options, "--to-gguf", options.to_gguf);
  if (!options.model.empty()) {
    return model_file::with_session_of(options.model, [&]<class Session>() {
      return convert_session(options, model_file::load<Session>(options.model));
    });
  }
  if (!options.from_gguf.empty()) {
    model_file::GgufModel model(options.from_gguf);
    return model_file::with_session_of(
        model.kind(), options.from_gguf,
        [&]<class Session>() { return convert_gguf<Session>(options, model); },
        model_file::Sessions());
  }
  model_file::HuggingFaceModel model(options.from_hf);
  return model_file::with_session_of(
      model.kind(), options.from_hf,
      [&]<class Session>() { return convert_session(options, model.load<Session>()); },
      model_file::Sessions());
}

}  // namespace api

std::string convert(const Options& options) {
  return api::convert(api::read_options<api::ConvertOptions>(options));
}

const OptionSchema& convert_schema() { return api::schema_of<api::ConvertOptions>(); }

}  // namespace weft
