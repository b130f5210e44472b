// weft quantize: a smaller model file for inference.

#include <filesystem>

#include "apps/weft/command.h"
#include "weft/core/log.h"
#include "weft/model_file/kinds.h"

namespace weft::app {
namespace {

struct QuantizeOptions {
  std::string model;
  std::string output;
  std::string precision = "int8";

  template <class V>
  void fields(V& v) {
    v("model", model, {.help = "model file to read", .letter = 'm', .required = true});
    v("output", output,
      {.help = "model file to write", .letter = 'o', .required = true, .writes = true});
    v("precision", precision,
      {.help = "what matrices are kept in: int8 with a scale for each row, in language models for "
               "each 32 columns; int4, of language models, the same; bfloat16, or float32",
       .choices = "int8|int4|bfloat16|float32"});
  }
};

double megabytes(const std::string& path) {
  return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
}

// Writes the model of one file to another. Returns the size of the first before that, as the file
// to write may be the same.
template <class Session>
double round_model(const QuantizeOptions& options) {
  const double before = megabytes(options.model);
  model_file::save_rounded(options.output, model_file::load<Session>(options.model),
                           model_file::precision_named(options.precision));
  return before;
}

}  // namespace

int run_quantize(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<QuantizeOptions>(info, args);
  if (!options) return 0;
  const double before = model_file::with_session_of(
      options->model, [&]<class Session>() { return round_model<Session>(*options); });
  log::info("wrote {}: {:.1f} MB in place of {:.1f}", options->output, megabytes(options->output),
            before);
  return 0;
}

}  // namespace weft::app
