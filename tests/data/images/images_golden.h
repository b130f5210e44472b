// Files and what Pillow reads from them, written by tools/golden/images.py.
#ifndef WEFT_TESTS_DATA_IMAGES_IMAGES_GOLDEN_H_
#define WEFT_TESTS_DATA_IMAGES_IMAGES_GOLDEN_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/data/images/image.h"

namespace weft::data {

// Each is in a folder named by its extension.
inline std::string image_path(const std::string& name) {
  const std::string folder = name.substr(name.rfind('.') + 1);
  return test::source_path("tests/golden/images/" + folder + "/" + name);
}

inline std::vector<uint8_t> image_bytes(const std::string& name) {
  const std::string bytes = test::read_bytes(image_path(name));
  return {bytes.begin(), bytes.end()};
}

inline const nlohmann::json& images_golden() {
  static const nlohmann::json all = [] {
    std::ifstream in(test::source_path("tests/golden/images/pictures.json"));
    return nlohmann::json::parse(in);
  }();
  return all;
}

inline Image golden_image(const nlohmann::json& json) {
  Image image{
      .height = json["height"], .width = json["width"], .channels = json["channels"], .pixels = {}};
  const auto hex = json["pixels"].get<std::string>();
  for (size_t i = 0; i < hex.size(); i += 2) {
    image.pixels.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return image;
}

// Expects the same shape, and every level within the tolerance.
inline void expect_image(const Image& got, const Image& expected, int tolerance) {
  ASSERT_EQ(got.height, expected.height);
  ASSERT_EQ(got.width, expected.width);
  ASSERT_EQ(got.channels, expected.channels);
  ASSERT_EQ(got.pixels.size(), expected.pixels.size());
  int largest = 0;
  for (size_t i = 0; i < got.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(got.pixels[i] - expected.pixels[i]));
  }
  EXPECT_LE(largest, tolerance);
}

}  // namespace weft::data

#endif  // WEFT_TESTS_DATA_IMAGES_IMAGES_GOLDEN_H_
