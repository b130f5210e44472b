#include "weft/tasks/sample_table.h"

#include <fmt/core.h>

namespace weft::tasks {
namespace {

std::string cell_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "<br>";
      continue;
    }
    if (c == '|' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string sample_table(
    std::initializer_list<std::pair<std::string_view, std::string_view>> rows) {
  std::string out = "| | |\n|---|---|\n";
  for (const auto& [name, text] : rows) out += fmt::format("| {} | {} |\n", name, cell_of(text));
  return out;
}

}  // namespace weft::tasks
