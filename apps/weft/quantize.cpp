// weft quantize: a smaller model file for inference.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "apps/weft/command.h"
#include "apps/weft/tasks.h"
#include "weft/core/log.h"

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
      {.help = "what matrices are kept in: int8 with a scale for each row, bfloat16, or float32",
       .choices = "int8|bfloat16|float32"});
  }
};

// Writes the model of one file to another.
template <class Task>
void round_model(const QuantizeOptions& options) {
  model_file::save_rounded(options.output, model_file::load<typename Task::Session>(options.model),
                           model_file::precision_named(options.precision));
}

// A kind of model.
struct Kind {
  std::string_view name;
  void (*round)(const QuantizeOptions& options);
};
template <class... Task>
std::vector<Kind> kinds_of(TaskList<Task...>) {
  return {{Task::Session::kKind, round_model<Task>}...};
}

Kind kind_of(const std::string& path) {
  const std::string name = model_file::ModelFile(path).kind();
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds_of(Tasks())) {
    if (kind.name == name || name.empty()) return kind;  // reading says what is wrong without one
    names.push_back(kind.name);
  }
  fail<FormatError>(path, "is a model of type '{}'; expected {}", name, fmt::join(names, ", "));
}

}  // namespace

int run_quantize(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<QuantizeOptions>(info, args);
  if (!options) return 0;
  const auto megabytes = [](const std::string& path) {
    return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  };
  const Kind kind = kind_of(options->model);
  const double before = megabytes(options->model);  // the file to write may be the same
  kind.round(*options);
  log::info("wrote {}: {:.1f} MB in place of {:.1f}", options->output, megabytes(options->output),
            before);
  return 0;
}

}  // namespace weft::app
