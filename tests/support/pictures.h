// Pictures written for tests.
#ifndef WEFT_TESTS_SUPPORT_PICTURES_H_
#define WEFT_TESTS_SUPPORT_PICTURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/data/images/image.h"

namespace weft::test {

// Writes a PNG file with the pixels of a picture of 1 or 3 channels.
void write_png(const std::string& path, const data::Image& image);

// The bytes of an IDX file of these grey pictures, which have one size; and of labels.
std::string idx_of_images(const std::vector<data::Image>& images);
std::string idx_of_labels(const std::vector<uint8_t>& labels);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_PICTURES_H_
