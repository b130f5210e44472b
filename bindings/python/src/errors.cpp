#include <exception>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"
#include "weft/error.h"

namespace weft::python {
namespace {

// Raises a class of the module weft.errors.
void raise(const char* name, const std::exception& error) {
  const nb::object type = nb::module_::import_("weft.errors").attr(name);
  PyErr_SetObject(type.ptr(), str_of(error.what()).ptr());
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const OptionError& found) {
    raise("OptionError", found);
  } catch (const FileError& found) {
    raise("FileError", found);
  } catch (const FormatError& found) {
    raise("FormatError", found);
  } catch (const ShapeError& found) {
    raise("ShapeError", found);
  } catch (const NumericError& found) {
    raise("NumericError", found);
  } catch (const Error& found) {
    raise("Error", found);
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace weft::python
