#include "weft/model_file/hugging_face/paths.h"

#include <filesystem>

#include "weft/core/error.h"

namespace weft::model_file {

std::string path_in(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

bool file_exists(const std::string& path) {
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  if (error) fail<FileError>(path, "cannot be opened: {}", error.message());
  return exists;
}

}  // namespace weft::model_file
