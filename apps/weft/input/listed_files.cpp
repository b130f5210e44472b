#include "apps/weft/input/listed_files.h"

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

void check_listed_output(const std::string& output, const std::vector<std::string>& files) {
  ReadFiles inputs;
  for (const std::string& file : files) inputs.add(file);
  inputs.check_output("--output", output);
}

}  // namespace weft::app
