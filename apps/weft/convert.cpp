// weft convert: converts between Weft's model files and models of other systems.
#include <fmt/core.h>

#include <array>

#include "apps/weft/command.h"
#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/log.h"
#include "weft/model_file/marian/folder.h"

namespace weft::app {
namespace {

struct ConvertOptions {
  std::string model;
  std::string from_hf;
  std::string to_hf;
  std::string check;

  template <class V>
  void fields(V& v) {
    v("model", model,
      {.help = "model file: written with --from-hf, read otherwise",
       .letter = 'm',
       .required = true});
    v("from-hf", from_hf,
      {.help = "folder of a Marian model in Hugging Face Transformers format to read"});
    v("to-hf", to_hf, {.help = "folder to write the model to in that format"});
    v("check", check,
      {.help = "file of inputs and logits written by tools/golden/logits.py: prints the largest "
               "difference; a difference above 1e-4 is an error",
       .reads = true});
  }

  void validate() const {
    if (!from_hf.empty() && !to_hf.empty()) {
      fail<OptionError>("--to-hf", "contradicts --from-hf; expected one of them");
    }
    if (from_hf.empty() && to_hf.empty() && check.empty()) {
      fail<OptionError>("arguments", "nothing to do; expected --from-hf, --to-hf or --check");
    }
  }
};

constexpr double kMaxDifference = 1e-4;

void check_logits(const model_file::TranslatorSession& session, const std::string& path) {
  const double difference = model_file::largest_logit_difference(session, path);
  print(fmt::format("largest difference of logits: {:.3g}\n", difference));
  if (!(difference <= kMaxDifference)) {
    fail<NumericError>(path, "logits differ by {}; expected at most {}",
                       fmt::format("{:.3g}", difference), kMaxDifference);
  }
}

}  // namespace

int run_convert(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ConvertOptions>(info, args);
  if (!options) return 0;
  const auto weights_path = [](const std::string& folder) { return folder + "/model.safetensors"; };
  if (!options->to_hf.empty()) {
    check_output("--to-hf", weights_path(options->to_hf), std::array{options->model});
  }
  if (!options->from_hf.empty()) {
    check_output("--model", options->model, std::array{weights_path(options->from_hf)});
  }
  model_file::TranslatorSession session =
      options->from_hf.empty() ? model_file::load<model_file::TranslatorSession>(options->model)
                               : model_file::read_marian(options->from_hf);
  if (!options->check.empty()) check_logits(session, options->check);
  if (!options->to_hf.empty()) model_file::write_marian(options->to_hf, session);
  if (!options->from_hf.empty()) {
    model_file::save(options->model, session, session.parameters);
  }
  const std::string& output = options->to_hf.empty() ? options->model : options->to_hf;
  if (!options->from_hf.empty() || !options->to_hf.empty()) {
    log::info("wrote {}: {} parameters", output, session.parameters.size());
  }
  return 0;
}

}  // namespace weft::app
