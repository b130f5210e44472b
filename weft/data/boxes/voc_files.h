// Annotations of Pascal VOC: which files there are of them, in any layout of folders.
#ifndef WEFT_DATA_BOXES_VOC_FILES_H_
#define WEFT_DATA_BOXES_VOC_FILES_H_

#include <functional>
#include <string>

#include "weft/data/bad_files.h"
#include "weft/data/boxes/picture_boxes.h"

namespace weft::data {

// Each calls take(picture) for each picture, whose `image` is then a path that can be opened: its
// name in `image_folder`, or unless that is given, in JPEGImages beside Annotations, beside its
// annotation, or wherever one file below `root` has that name. An annotation that cannot be read,
// one whose picture no file or several have the name of, and a listed name without an annotation
// are `skipped`, or an error where that refuses them.
using TakePicture = std::function<void(const PictureBoxes&)>;

// All annotations of the folder Annotations in `root`, or where there is none all below `root`.
void read_voc_folder(const std::string& root, const std::string& image_folder,
                     SkippedFiles& skipped, const TakePicture& take);
// Those that are named in a list, one a line, with or without a 1 or -1 behind them, as VOC lists
// classes. The root is the nearest folder at or above the list that has a folder Annotations, or
// else the list's own.
void read_voc_list(const std::string& list, const std::string& image_folder, SkippedFiles& skipped,
                   const TakePicture& take);
// One annotation, whose folder is the root.
void read_voc_annotation(const std::string& path, const std::string& image_folder,
                         SkippedFiles& skipped, const TakePicture& take);

}  // namespace weft::data

#endif  // WEFT_DATA_BOXES_VOC_FILES_H_
