#include "bindings/python/src/picture.h"

namespace weft::python {
namespace {

using Pixels = nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu>;

Picture picture_of(nb::handle value) {
  Pixels pixels;
  if (!nb::try_cast(value, pixels) || (pixels.ndim() != 2 && pixels.ndim() != 3)) {
    throw nb::type_error("picture: expected an array of bytes [height, width, channels]");
  }
  Picture out{.height = static_cast<int64_t>(pixels.shape(0)),
              .width = static_cast<int64_t>(pixels.shape(1)),
              .channels = pixels.ndim() == 3 ? static_cast<int64_t>(pixels.shape(2)) : 1,
              .pixels = {}};
  out.pixels.assign(pixels.data(), pixels.data() + pixels.size());
  return out;
}

}  // namespace

std::vector<Picture> pictures_of(const nb::list& arrays) {
  std::vector<Picture> out;
  for (const nb::handle array : arrays) out.push_back(picture_of(array));
  return out;
}

}  // namespace weft::python
