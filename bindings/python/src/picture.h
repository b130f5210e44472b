// Pictures from arrays.
#ifndef BINDINGS_PYTHON_SRC_PICTURE_H_
#define BINDINGS_PYTHON_SRC_PICTURE_H_

#include <vector>

#include "bindings/python/src/convert.h"
#include "weft/picture.h"

namespace weft::python {

// Arrays of bytes [H, W] or [H, W, C], contiguous. Throws TypeError for others.
std::vector<Picture> pictures_of(const nb::list& arrays);

}  // namespace weft::python

#endif  // BINDINGS_PYTHON_SRC_PICTURE_H_
