// The boxes of a picture's objects, as files have them: a line of JSON, COCO's JSON, and the XML of
// Pascal VOC.
#ifndef WEFT_DATA_BOXES_PICTURE_BOXES_H_
#define WEFT_DATA_BOXES_PICTURE_BOXES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/boxes/box.h"

namespace weft::data {

struct LabelledBox {
  std::string label;
  Box box;            // in pixels; its numbers are finite
  std::string where;  // "train.jsonl:12: box 3", "instances.json: annotation 17"
};

struct PictureBoxes {
  std::string where;  // "train.jsonl:12"
  std::string image;  // the path that is written there
  std::vector<LabelledBox> boxes;
  int64_t crowds = 0;  // boxes of many objects (COCO's iscrowd), which are left out
};

// Each throws FormatError, which begins with the name or what stands in it ("name: annotation 17"),
// for bytes of another form, and for numbers that are not finite. A box may have any size.
//
// {"image": "a.png", "boxes": [{"label": "cup", "box": [x, y, width, height]}, ...]}; x and y are
// those of the left upper corner. Other keys are not read.
PictureBoxes parse_json_line(std::string_view line, const std::string& where);
// The object detection format of COCO (Lin et al. 2014): its images in their order, each with its
// annotations. Throws, too, for an annotation of an image or a category that is not listed.
std::vector<PictureBoxes> parse_coco(std::string_view bytes, const std::string& name);
// An annotation of Pascal VOC (Everingham et al. 2010). Its corners number pixels from 1, and the
// last is inside: xmin 1 and xmax 10 are x 0 and width 10.
PictureBoxes parse_voc(std::string_view bytes, const std::string& name);

}  // namespace weft::data

#endif  // WEFT_DATA_BOXES_PICTURE_BOXES_H_
