#include "apps/weft/input/listed_files.h"

#include <filesystem>

#include "weft/core/error.h"
#include "weft/core/files/read_files.h"

namespace weft::app {

std::optional<std::vector<std::string>> listed_files(const LineSource& source,
                                                     const std::string& input) {
  if (!source.files().empty()) return source.files();
  if (is_stream(input)) return std::nullopt;
  std::vector<std::string> out;
  LineSource list(input);
  for (Line line; list.next(line);) out.push_back(std::move(line.text));
  return out;
}

void check_output_of_pipe(const std::string& output, data::FileKind kind) {
  std::error_code none;
  if (is_standard_output(output) || !std::filesystem::is_regular_file(output, none) ||
      !data::is_of_kind(kind, output)) {
    return;
  }
  fail<OptionError>("--output",
                    "would overwrite {}, which may be an input, as it is a {}; expected another "
                    "file",
                    output, data::name_of(kind));
}

void check_listed_output(const std::string& output,
                         const std::optional<std::vector<std::string>>& files,
                         data::FileKind kind) {
  if (!files) return check_output_of_pipe(output, kind);
  ReadFiles inputs;
  for (const std::string& file : *files) inputs.add(file);
  inputs.check_output("--output", output);
}

}  // namespace weft::app
