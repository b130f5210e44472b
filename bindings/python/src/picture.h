// Pictures from arrays.
#ifndef WEFT_BINDINGS_PYTHON_PICTURE_H_
#define WEFT_BINDINGS_PYTHON_PICTURE_H_

#include <vector>

#include "convert.h"
#include "weft/picture.h"

namespace weft::python {

// Arrays of bytes [H, W] or [H, W, C], contiguous. Throws TypeError for others.
std::vector<Picture> pictures_of(const nb::list& arrays);

}  // namespace weft::python

#endif  // WEFT_BINDINGS_PYTHON_PICTURE_H_
