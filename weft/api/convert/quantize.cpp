#include <filesystem>
#include <type_traits>

#include "weft/api/convert/check_models.h"
#include "weft/api/convert/quantize_options.h"
#include "weft/api/read_options.h"
#include "weft/convert.h"
#include "weft/core/error.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/model_file/any_adapter.h"
#include "weft/model_file/kinds.h"
#include "weft/predict/scoring/model_comparison.h"
#include "weft/train/file_lock.h"

namespace weft {
namespace api {
namespace {

// Of a file, or of those of a folder.
double megabytes(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return static_cast<double>(fs::file_size(path)) / 1e6;
  double out = 0;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) out += static_cast<double>(entry.file_size()) / 1e6;
  }
  return out;
}

// Says what the rounding of a language model costs.
void report_perplexity(const QuantizeOptions& options,
                       const model_file::LanguageModelSession& before) {
  const auto after = model_file::load_any_packed<model_file::LanguageModelSession>(
      options.output, model_file::Precision::kStored);
  const predict::ModelComparison found =
      predict::compare_models(before, after, texts_to_compare(options.check_text));
  const double from = found.first.perplexity(), to = found.second.perplexity();
  log::info("perplexity of {}: {:.4g} in place of {:.4g}, {:+.2f} %",
            counted(found.tokens, "token"), to, from, 100 * (to / from - 1));
}

// Writes the model of one file to another. Returns the size of the first before that, as the file
// to write may be the same.
template <class Session>
double round_model(const QuantizeOptions& options, const Session& session) {
  const double before = megabytes(options.model);
  constexpr bool is_language_model = std::is_same_v<Session, model_file::LanguageModelSession>;
  if (!is_language_model && !options.check_text.empty()) {
    fail<OptionError>("--check-text", "a model of type '{}'; expected a language model",
                      Session::kKind);
  }
  model_file::save_rounded(options.output, session, model_file::precision_named(options.precision));
  if constexpr (is_language_model) report_perplexity(options, session);
  return before;
}

double round_any_model(const QuantizeOptions& options) {
  const ReadFiles inputs;
  return model_file::with_session_of(
      model_file::kind_of_model(options.model), options.model,
      [&]<class Session>() {
        const auto session = model_file::load_any<Session>(options.model);
        if (model_file::is_foreign_model(options.model)) {
          inputs.check_output("--output", options.output);
        }
        return round_model(options, session);
      },
      model_file::Sessions());
}

}  // namespace

void quantize(const QuantizeOptions& options) {
  train::check_not_training(options.output);
  const double before = round_any_model(options);
  log::info("wrote {}: {:.1f} MB in place of {:.1f}", options.output, megabytes(options.output),
            before);
}

}  // namespace api

void quantize(const Options& options) {
  api::quantize(api::read_options<api::QuantizeOptions>(options));
}

const OptionSchema& quantize_schema() { return api::schema_of<api::QuantizeOptions>(); }

}  // namespace weft
