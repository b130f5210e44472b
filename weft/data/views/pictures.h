// One picture, or those of a folder, of a file of the MNIST form or of a text of paths.
#ifndef WEFT_DATA_VIEWS_PICTURES_H_
#define WEFT_DATA_VIEWS_PICTURES_H_

#include <functional>
#include <span>
#include <string>

#include "weft/data/images/image.h"

namespace weft::data {

// Reads a picture; throws as read_image() does, naming the line of a text.
using ReadPicture = std::function<Image()>;

// Calls take() for each picture: for a PNG or JPEG file itself, of a folder and the folders in it
// in byte order of their paths, but for names that begin with a point; else in their order. A path
// in a text that is not absolute starts in its folder. Throws FileError and FormatError for a
// text, a folder or a file of the MNIST form that cannot be read, and FormatError where there is no
// picture.
void for_each_picture(const std::string& path, const std::function<void(const ReadPicture&)>& take);

// The same for some lines of the text `path`, the first of which has this number, from 1.
void for_each_listed_picture(const std::string& path, std::span<const std::string> lines,
                             int64_t first_line,
                             const std::function<void(const ReadPicture&)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_VIEWS_PICTURES_H_
