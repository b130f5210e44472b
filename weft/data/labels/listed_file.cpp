#include "weft/data/labels/listed_file.h"

#include <fmt/core.h>

namespace weft::data {

std::string ListedFile::swapped_hint(std::string_view remedy) const {
  std::error_code none;
  if (std::filesystem::exists(folder / path, none) ||
      !std::filesystem::is_regular_file(folder / label, none)) {
    return {};
  }
  return fmt::format("; hint: path and label are swapped, {} is a file; {}", quote(label), remedy);
}

}  // namespace weft::data
