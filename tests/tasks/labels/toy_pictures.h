// Labelled pictures small enough for a test: stripes, whose label is their direction.
#ifndef WEFT_TESTS_TASKS_LABELS_TOY_PICTURES_H_
#define WEFT_TESTS_TASKS_LABELS_TOY_PICTURES_H_

#include <filesystem>
#include <string>

#include "tests/support/scratch.h"
#include "weft/core/random.h"
#include "weft/data/images/png.h"

namespace weft::test {

constexpr int kToyPictures = 20;  // of each label

// Grey, 8 by 8, every fourth row, column or diagonal white, with noise.
inline data::Image toy_picture(int label, int number) {
  RandomStream random(static_cast<uint64_t>(number), static_cast<uint64_t>(label));
  const int first = static_cast<int>(random.below(4));
  data::Image out{8, 8, 1, {}};
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      const int line = label == 0 ? y : label == 1 ? x : x + y;
      const int value = (line + first) % 4 == 0 ? 200 : 20;
      out.pixels.push_back(static_cast<uint8_t>(value + static_cast<int>(random.below(40))));
    }
  }
  return out;
}

// Writes pictures/LABEL_NUMBER.png.
inline void write_toy_pictures(const Scratch& folder) {
  std::filesystem::create_directory(folder.path("pictures"));
  for (int label = 0; label < 3; ++label) {
    for (int number = 0; number < kToyPictures; ++number) {
      folder.file("pictures/" + std::to_string(label) + "_" + std::to_string(number) + ".png",
                  data::encode_png(toy_picture(label, number)));
    }
  }
}

// Lines of `label TAB path` of some of these.
inline std::string pictures_text(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    const std::string label = std::to_string(random.below(3));
    out += "class" + label + "\tpictures/" + label + "_" +
           std::to_string(random.below(kToyPictures)) + ".png\n";
  }
  return out;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_TASKS_LABELS_TOY_PICTURES_H_
