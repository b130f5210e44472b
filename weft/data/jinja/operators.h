// The operators of expressions, as Python has them for these values.
#ifndef WEFT_DATA_JINJA_OPERATORS_H_
#define WEFT_DATA_JINJA_OPERATORS_H_

#include "weft/data/jinja/runtime.h"
#include "weft/data/jinja/syntax.h"

namespace weft::data::jinja {

// All throw RenderError for values that the operator is not made for, and for whole numbers of more
// than 64 bits.
Value binary(BinaryOperator kind, const Value& left, const Value& right, Runtime& runtime);
Value negative(const Value& value);
bool contains(const Value& container, const Value& item, Runtime& runtime);
bool compares(Comparison kind, const Value& left, const Value& right, Runtime& runtime);

// value[start:stop:step]; none: not given.
struct SliceBounds {
  Value start, stop, step;
};
Value slice_of(const Value& object, const SliceBounds& bounds, Runtime& runtime);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_OPERATORS_H_
