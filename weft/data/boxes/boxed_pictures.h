// Pictures with boxes: which files there are of them, in any of three forms.
#ifndef WEFT_DATA_BOXES_BOXED_PICTURES_H_
#define WEFT_DATA_BOXES_BOXED_PICTURES_H_

#include <functional>
#include <string>
#include <vector>

#include "weft/data/bad_files.h"
#include "weft/data/boxes/picture_boxes.h"

namespace weft::data {

// Calls take(picture) for each picture of the files, in their order; `image` is then a path that
// can be opened. A file is, recognised by its content,
//   lines of JSON, whose paths are relative to the file's folder,
//   COCO's JSON, likewise,
//   a folder of Pascal VOC's annotations, in any layout (voc_files.h), or one of them, or
//   a list of their names, one a line, such as ImageSets/Main/train.txt.
// `image_folder`, unless empty, is where pictures lie in place of that. Throws FileError for a file
// that cannot be read, and FormatError as the functions in picture_boxes.h do; annotations of
// Pascal VOC are `skipped` where bad files are.
void read_boxed_pictures(const std::vector<std::string>& files, const std::string& image_folder,
                         SkippedFiles& skipped,
                         const std::function<void(const PictureBoxes&)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_BOXES_BOXED_PICTURES_H_
