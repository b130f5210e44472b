#include "weft/api/training_options.h"

#include <filesystem>

#include "weft/model_file/model_file.h"

namespace weft::api {

bool is_given(const options::OptionTable& table, std::string_view name) {
  const options::Option* option = table.find(name);
  return option != nullptr && !option->origin.empty();
}

void check_kind(const train::LoopOptions& loop, std::string_view kind) {
  if (loop.overwrite || !std::filesystem::is_regular_file(loop.model)) return;
  std::string found;
  try {
    found = model_file::ModelFile(loop.model).kind();
  } catch (const Error&) {  // no model: training says so
  }
  if (found.empty() || found == kind) return;
  fail<OptionError>("--model",
                    "{} is a model of type '{}', of another task; expected another file, or "
                    "--overwrite",
                    quote(loop.model), found);
}

}  // namespace weft::api
