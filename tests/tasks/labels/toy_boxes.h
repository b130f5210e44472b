// Pictures with boxes small enough for a test: light and dark rectangles on grey.
#ifndef WEFT_TESTS_TASKS_LABELS_TOY_BOXES_H_
#define WEFT_TESTS_TASKS_LABELS_TOY_BOXES_H_

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/scratch.h"
#include "weft/core/random.h"
#include "weft/data/boxes/box.h"
#include "weft/data/images/png.h"

namespace weft::test {

constexpr int kBoxedPictures = 300;

struct ToyBox {
  bool is_light;
  data::Box box;
};

// Of the picture with this number: 0 to 2, side by side.
inline std::vector<ToyBox> toy_boxes(int number) {
  RandomStream random(static_cast<uint64_t>(number), 77);
  std::vector<ToyBox> out;
  const auto count = static_cast<int>((number + random.below(2)) % 3);
  for (int i = 0; i < count; ++i) {
    const double width = 3 + static_cast<double>(random.below(4));
    const double height = 4 + static_cast<double>(random.below(6));
    out.push_back({random.below(2) == 0,
                   {8 * i + static_cast<double>(random.below(2)),
                    static_cast<double>(random.below(6)), width, height}});
  }
  return out;
}

// 16 by 16, with noise.
inline data::Image toy_boxed_picture(int number) {
  RandomStream random(static_cast<uint64_t>(number), 78);
  data::Image out{16, 16, 1, {}};
  for (int i = 0; i < 256; ++i) out.pixels.push_back(static_cast<uint8_t>(110 + random.below(20)));
  for (const ToyBox& one : toy_boxes(number)) {
    for (auto y = static_cast<int64_t>(one.box.y); y < static_cast<int64_t>(one.box.bottom());
         ++y) {
      const auto row = out.pixels.begin() + y * 16;
      std::fill(row + static_cast<int64_t>(one.box.x), row + static_cast<int64_t>(one.box.right()),
                static_cast<uint8_t>(one.is_light ? 250 : 5));
    }
  }
  return out;
}

// Writes boxed/NUMBER.png.
inline void write_boxed_pictures(const Scratch& folder) {
  std::filesystem::create_directory(folder.path("boxed"));
  for (int number = 0; number < kBoxedPictures; ++number) {
    folder.file("boxed/" + std::to_string(number) + ".png",
                data::encode_png(toy_boxed_picture(number)));
  }
}

inline std::string boxed_line(int number) {
  std::string boxes;
  for (const ToyBox& one : toy_boxes(number)) {
    boxes += std::string(boxes.empty() ? "" : ", ") + R"({"label": ")" +
             (one.is_light ? "light" : "dark") + R"(", "box": [)" + std::to_string(one.box.x) +
             ", " + std::to_string(one.box.y) + ", " + std::to_string(one.box.width) + ", " +
             std::to_string(one.box.height) + "]}";
  }
  return R"({"image": "boxed/)" + std::to_string(number) + R"(.png", "boxes": [)" + boxes + "]}\n";
}

// Lines of JSON of some of these.
inline std::string boxes_text(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) out += boxed_line(static_cast<int>(random.below(kBoxedPictures)));
  return out;
}

// The paths in such lines, one a line.
inline std::string paths_of_boxes(const std::string& text) {
  std::string out;
  const std::string key = R"({"image": ")";
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at)) {
    at += key.size();
    out += text.substr(at, text.find('"', at) - at) + "\n";
  }
  return out;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_TASKS_LABELS_TOY_BOXES_H_
