#include "tests/support/pictures.h"

namespace weft::test {
namespace {

void append(std::string& out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xFF);
}

}  // namespace

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
