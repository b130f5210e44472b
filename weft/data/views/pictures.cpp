#include "weft/data/views/pictures.h"

#include <fmt/core.h>

#include <filesystem>

#include "weft/core/error.h"
#include "weft/data/file_kind.h"
#include "weft/data/images/idx.h"
#include "weft/data/images/image_file.h"
#include "weft/data/standard_input.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;
using TakeRead = std::function<void(const ReadPicture&)>;

void read_folder(const std::string& folder, const TakeRead& take) {
  const std::vector<std::string> files = files_in(folder);
  if (files.empty()) fail<FormatError>(folder, "has no picture; expected at least one");
  for (const std::string& file : files) take([&] { return read_image(file); });
}

void read_text(const std::string& path, const TakeRead& take) {
  const std::vector<std::string> lines = read_lines(path);
  if (lines.empty()) fail<FormatError>(path, "is empty; expected the path of a picture a line");
  for_each_listed_picture(path, lines, 1, take);
}

}  // namespace

void for_each_picture(const std::string& path, const TakeRead& take) {
  std::error_code none;
  if (fs::is_directory(path, none)) return read_folder(path, take);
  if (path != kStandardInput && is_of_kind(FileKind::kPicture, path)) {
    return take([&] { return read_image(path); });
  }
  if (path == kStandardInput || !is_idx(path)) return read_text(path, take);
  const IdxImages images = read_idx_images(path);
  if (images.count == 0) fail<FormatError>(path, "has no picture; expected at least one");
  for (int64_t i = 0; i < images.count; ++i) take([&] { return images.image(i); });
}

void for_each_listed_picture(const std::string& path, std::span<const std::string> lines,
                             int64_t first_line, const TakeRead& take) {
  const fs::path folder = fs::path(path).parent_path();
  for (const std::string& line : lines) {
    const std::string where = fmt::format("{}:{}", path, first_line++);
    if (line.empty()) fail<FormatError>(where, "is empty; expected the path of a picture");
    take([&] { return read_image_of((folder / line).string(), where); });
  }
}

}  // namespace weft::data
