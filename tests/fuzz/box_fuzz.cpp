// Fuzzes the readers of boxes: lines of JSON, COCO's JSON and the XML of Pascal VOC (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_box_fuzz -max_len=4096 -max_total_time=600 corpus
#include <cmath>
#include <cstdint>
#include <string_view>

#include "weft/core/error.h"
#include "weft/data/boxes/picture_boxes.h"

namespace {

using namespace weft::data;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void use(const PictureBoxes& picture) {
  require(!picture.image.empty() && !picture.where.empty());
  for (const LabelledBox& one : picture.boxes) {
    require(!one.label.empty());
    require(std::isfinite(one.box.x) && std::isfinite(one.box.y));
  }
}

template <class Act>
void allow_format_errors(Act act) {
  try {
    act();
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  allow_format_errors([&] { use(parse_json_line(bytes, "fuzz:1")); });
  allow_format_errors([&] {
    for (const PictureBoxes& picture : parse_coco(bytes, "fuzz")) use(picture);
  });
  allow_format_errors([&] { use(parse_voc(bytes, "fuzz")); });
  return 0;
}
