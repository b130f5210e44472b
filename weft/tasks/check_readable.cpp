#include "weft/tasks/check_readable.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/core/error.h"
#include "weft/data/standard_input.h"

namespace weft::tasks {

void check_readable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path == data::kStandardInput || ::access(path.c_str(), R_OK) == 0) continue;
    fail<FileError>(path, "cannot be opened: {}", std::strerror(errno));
  }
}

}  // namespace weft::tasks
