// The size of all pictures that a model reads.
#ifndef WEFT_DATA_IMAGES_IMAGE_SHAPE_H_
#define WEFT_DATA_IMAGES_IMAGE_SHAPE_H_

#include <cstdint>

namespace weft::data {

struct ImageShape {
  int64_t height = 0, width = 0;
  int64_t channels = 0;  // 1 grey, 3 red, green and blue

  int64_t size() const { return height * width * channels; }
  // Of square patches that divide it: how many, and how many numbers each.
  int64_t patches(int64_t patch) const { return (height / patch) * (width / patch); }
  int64_t patch_width(int64_t patch) const { return patch * patch * channels; }

  template <class V>
  void fields(V& v) {
    v("picture-height", height, {.help = "of pictures", .min = 0, .max = 4096});
    v("picture-width", width, {.help = "of pictures", .min = 0, .max = 4096});
    v("picture-channels", channels, {.help = "1 grey, 3 red, green and blue", .min = 0, .max = 3});
  }
};

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_IMAGE_SHAPE_H_
