#include "apps/weft/input/idx_pictures.h"

#include <filesystem>

#include "apps/weft/input/lines.h"

namespace weft::app {

bool is_idx_file(const std::string& input) {
  std::error_code none;
  return !is_stream(input) && !std::filesystem::is_directory(input, none) && data::is_idx(input);
}

bool IdxSource::next(data::Image& picture) {
  if (taken_ == pictures_.count) return false;
  picture = pictures_.image(taken_++);
  return true;
}

}  // namespace weft::app
