#include "apps/weft/input/idx_pictures.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "apps/weft/input/lines.h"
#include "weft/data/images/idx.h"

namespace weft::app {

bool is_idx_file(const std::string& input) {
  std::error_code none;
  return !is_stream(input) && !std::filesystem::is_directory(input, none) && data::is_idx(input);
}

int64_t for_each_idx_window(
    const std::string& path, int64_t most,
    const std::function<void(std::span<const data::Image> pictures, int64_t first)>& take) {
  const data::IdxImages pictures = data::read_idx_images(path);
  for (int64_t begin = 0; begin < pictures.count; begin += most) {
    std::vector<data::Image> window;
    for (int64_t i = begin; i < std::min(begin + most, pictures.count); ++i) {
      window.push_back(pictures.image(i));
    }
    take(window, begin);
  }
  return pictures.count;
}

}  // namespace weft::app
