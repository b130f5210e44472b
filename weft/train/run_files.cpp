#include "weft/train/run_files.h"

#include <filesystem>
#include <system_error>

#include "weft/core/error.h"
#include "weft/options/option_value.h"

namespace weft::train {

std::string metrics_lock_path(const std::string& metrics) {
  std::error_code none;
  const auto path = std::filesystem::weakly_canonical(metrics, none);
  return (none ? metrics : path.string()) + ".lock";
}

void check_files(const Task& task) {
  const std::string& model = task.options().loop.model;
  if (model.empty()) fail<OptionError>("--model", "no name; expected the path of a model file");
  task.all_options().table().check_files();
  std::error_code none;
  if (std::filesystem::is_directory(model, none)) {
    fail<FileError>(model, "is a directory; expected the path of a model file");
  }
}

void check_outputs(const Task& task, const ReadFiles& inputs) {
  const options::AnyOptions options = task.all_options();
  const options::OptionTable table = options.table();
  for (const options::Option& output : table.options()) {
    if (!output.meta.writes) continue;
    inputs.check_output("--" + output.name, options::values_of(output).front());
  }
}

}  // namespace weft::train
