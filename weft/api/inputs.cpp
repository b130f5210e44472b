#include "weft/api/inputs.h"

namespace weft::api {

std::vector<predict::Line> lines_of(std::span<const std::string> texts) {
  std::vector<predict::Line> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) out.push_back({.text = text});
  return out;
}

std::vector<data::Image> images_of(std::span<const Picture> pictures) {
  std::vector<data::Image> out;
  out.reserve(pictures.size());
  for (const Picture& picture : pictures) {
    out.push_back({.height = picture.height,
                   .width = picture.width,
                   .channels = picture.channels,
                   .pixels = picture.pixels});
    data::check_image(out.back(), "picture");
  }
  return out;
}

}  // namespace weft::api
