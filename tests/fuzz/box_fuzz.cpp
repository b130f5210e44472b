// Fuzzes the readers of boxes: lines of JSON, COCO's JSON and the XML of Pascal VOC (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   mkdir corpus && build/fuzz/tests/weft_box_fuzz -max_len=4096 -max_total_time=600 corpus
//
// An empty folder `corpus` is first filled with seeds.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/data/boxes/picture_boxes.h"

namespace {

using namespace weft::data;
using weft::test::require;

std::vector<std::string> seeds() {
  return {
      R"({"image": "a/b.png", "boxes": [{"label": "cup", "box": [1, 2.5, 3, 4e1], "score": 1}]})",
      R"({"image": "a", "boxes": []})",
      R"({"categories": [{"id": 3, "name": "cup"}, {"id": 1, "name": "spoon"}],
          "images": [{"id": 20, "file_name": "b.jpg", "width": 9}, {"id": 10, "file_name": "a"}],
          "annotations": [
            {"id": 5, "image_id": 10, "category_id": 3, "bbox": [1, 2, 3, 4], "iscrowd": 0},
            {"id": 7, "image_id": 20, "category_id": 1, "bbox": [0, 0, 9, 9], "iscrowd": 1}]})",
      R"(<?xml version="1.0"?><annotation><folder>f</folder><filename>a.jpg</filename>
           <size><width>9</width><height>8</height><depth>3</depth></size>
           <object><name>cup</name><difficult>0</difficult><bndbox><xmin>1</xmin><ymin>2</ymin>
           <xmax>3.5</xmax><ymax>4</ymax></bndbox></object></annotation>)"};
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

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  allow_format_errors([&] { use(parse_json_line(bytes, "fuzz:1")); });
  allow_format_errors([&] {
    for (const PictureBoxes& picture : parse_coco(bytes, "fuzz")) use(picture);
  });
  allow_format_errors([&] { use(parse_voc(bytes, "fuzz")); });
  return 0;
}
