// Pairs of views small enough for a test: noise, and the same shifted by up to two pixels.
#ifndef WEFT_TESTS_TASKS_CROSS_VIEW_TOY_VIEWS_H_
#define WEFT_TESTS_TASKS_CROSS_VIEW_TOY_VIEWS_H_

#include <filesystem>
#include <string>

#include "tests/support/scratch.h"
#include "weft/core/random.h"
#include "weft/data/images/png.h"

namespace weft::test {

constexpr const char* kToyViewModel =
    "--patch-size 2 --enc-depth 1 --dec-depth 1 --dim-emb 16 --transformer-heads 2 "
    "--transformer-dim-ffn 32";
constexpr int kToyScenes = 40;

// Grey, `side` by `side`, of which the pixel (0, 0) is that of the scene at (right, down): blocks
// of 3 by 3 pixels, each of a level of its own.
inline data::Image toy_view(int scene, int right, int down, int side = 8) {
  data::Image out{side, side, 1, {}};
  for (int y = down; y < side + down; ++y) {
    for (int x = right; x < side + right; ++x) {
      RandomStream random(static_cast<uint64_t>(scene), static_cast<uint64_t>(y / 3 * 100 + x / 3));
      out.pixels.push_back(static_cast<uint8_t>(random.below(256)));
    }
  }
  return out;
}

// Lines of `first TAB second TAB right TAB down` of views in the folder views.
inline std::string toy_pairs(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    const std::string scene = std::to_string(random.below(kToyScenes));
    const std::string right = std::to_string(random.below(3)),
                      down = std::to_string(random.below(3));
    out += "views/" + scene + "_0_0.png\tviews/" + scene + "_" + right + "_" + down + ".png\t" +
           right + "\t" + down + "\n";
  }
  return out;
}

// Writes views/SCENE_RIGHT_DOWN.png, pictures/SCENE.png, train.tsv and valid.tsv.
inline void write_toy_views(const Scratch& folder) {
  std::filesystem::create_directory(folder.path("views"));
  std::filesystem::create_directory(folder.path("pictures"));
  for (int scene = 0; scene < kToyScenes; ++scene) {
    const std::string name = std::to_string(scene);
    folder.file("pictures/" + name + ".png", data::encode_png(toy_view(scene, 0, 0, 20)));
    for (int right = 0; right < 3; ++right) {
      for (int down = 0; down < 3; ++down) {
        folder.file(
            "views/" + name + "_" + std::to_string(right) + "_" + std::to_string(down) + ".png",
            data::encode_png(toy_view(scene, right, down)));
      }
    }
  }
  folder.file("train.tsv", toy_pairs(1, 300));
  folder.file("valid.tsv", toy_pairs(2, 20));
}

}  // namespace weft::test

#endif  // WEFT_TESTS_TASKS_CROSS_VIEW_TOY_VIEWS_H_
