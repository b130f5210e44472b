#include "weft/api/inputs.h"

#include "weft/data/images/image.h"

namespace weft::api {

std::vector<Line> lines_of(std::span<const std::string> texts) {
  std::vector<Line> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) out.push_back({.text = text});
  return out;
}

void check_pictures(std::span<const Picture> pictures) {
  for (const Picture& picture : pictures) data::check_image(picture, "picture");
}

}  // namespace weft::api
