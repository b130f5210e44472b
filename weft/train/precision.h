// What --precision means on this processor.
#ifndef WEFT_TRAIN_PRECISION_H_
#define WEFT_TRAIN_PRECISION_H_

#include <string>

#include "weft/core/dtype.h"

namespace weft::train {

// The type of activations, which is logged.
DType training_type(const std::string& precision);

}  // namespace weft::train

#endif  // WEFT_TRAIN_PRECISION_H_
