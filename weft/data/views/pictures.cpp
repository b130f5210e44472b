#include "weft/data/views/pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "weft/core/error.h"
#include "weft/data/images/idx.h"
#include "weft/data/images/image_file.h"
#include "weft/data/text_file.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;
using Take = std::function<void(Image)>;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

void read_folder(const fs::path& folder, const Take& take) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (is_hidden(it->path())) {
      it.disable_recursion_pending();
    } else if (!it->is_directory(error)) {
      found.push_back(it->path());
    }
  }
  if (error) fail<FileError>(folder.string(), "{}", error.message());
  if (found.empty()) fail<FormatError>(folder.string(), "has no picture; expected at least one");
  std::ranges::sort(found);
  for (const fs::path& path : found) take(read_image(path.string()));
}

void read_text(const std::string& path, const Take& take) {
  const fs::path folder = fs::path(path).parent_path();
  int64_t number = 0;
  for (const std::string& line : read_lines(path)) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    if (line.empty()) fail<FormatError>(where, "is empty; expected the path of a picture");
    take(read_image_of((folder / line).string(), where));
  }
  if (number == 0) fail<FormatError>(path, "is empty; expected the path of a picture a line");
}

}  // namespace

void for_each_picture(const std::string& path, const Take& take) {
  std::error_code none;
  if (fs::is_directory(path, none)) return read_folder(path, take);
  if (!is_idx(path)) return read_text(path, take);
  const IdxImages images = read_idx_images(path);
  if (images.count == 0) fail<FormatError>(path, "has no picture; expected at least one");
  for (int64_t i = 0; i < images.count; ++i) take(images.image(i));
}

}  // namespace weft::data
