#include "tests/support/pictures.h"

#include <png.h>

#include <stdexcept>

namespace weft::test {
namespace {

void append(std::string& out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xFF);
}

}  // namespace

void write_png(const std::string& path, const data::Image& image) {
  png_image out = {};
  out.version = PNG_IMAGE_VERSION;
  out.width = static_cast<png_uint_32>(image.width);
  out.height = static_cast<png_uint_32>(image.height);
  out.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  if (png_image_write_to_file(&out, path.c_str(), 0, image.pixels.data(), 0, nullptr) == 0) {
    throw std::runtime_error(path + ": " + out.message);
  }
}

std::string idx_of_images(const std::vector<data::Image>& images) {
  std::string out;
  append(out, 0x803);
  append(out, static_cast<uint32_t>(images.size()));
  append(out, static_cast<uint32_t>(images.front().height));
  append(out, static_cast<uint32_t>(images.front().width));
  for (const data::Image& image : images) out.append(image.pixels.begin(), image.pixels.end());
  return out;
}

std::string idx_of_labels(const std::vector<uint8_t>& labels) {
  std::string out;
  append(out, 0x801);
  append(out, static_cast<uint32_t>(labels.size()));
  return out.append(labels.begin(), labels.end());
}

}  // namespace weft::test
