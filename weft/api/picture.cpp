#include "weft/picture.h"

#include "weft/data/images/image_file.h"

namespace weft {

Picture read_picture(const std::string& path) { return data::read_image(path); }

}  // namespace weft
