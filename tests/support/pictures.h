// Pictures in files, for tests.
#ifndef WEFT_TESTS_SUPPORT_PICTURES_H_
#define WEFT_TESTS_SUPPORT_PICTURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/data/images/image.h"

namespace weft::test {

// The bytes of an IDX file of these grey pictures, which have one size; and of labels.
std::string idx_of_images(const std::vector<data::Image>& images);
std::string idx_of_labels(const std::vector<uint8_t>& labels);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_PICTURES_H_
