// Text passed on to Python while it is made.
#ifndef BINDINGS_PYTHON_SRC_LISTENER_H_
#define BINDINGS_PYTHON_SRC_LISTENER_H_

#include "bindings/python/src/convert.h"
#include "weft/stream.h"

namespace weft::python {

// Calls on_text(more), which returns whether to go on, with the lock of Python's interpreter.
inline OnText listener(const nb::callable& on_text) {
  return [&on_text](std::string_view more) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<bool>(on_text(str_of(more)));
  };
}

}  // namespace weft::python

#endif  // BINDINGS_PYTHON_SRC_LISTENER_H_
