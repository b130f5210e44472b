#include "weft/kernels/backend.h"

#include <cstdlib>

#include "weft/core/error.h"

namespace weft::kernels {

const Backend& backend_named(std::string_view name) {
  if (name == "cpu") return cpu_backend();
  if (name == "ref") return ref_backend();
  fail<OptionError>("WEFT_BACKEND", "unknown backend; expected cpu or ref, got \"{}\"", name);
}

const Backend& default_backend() {
  const char* name = std::getenv("WEFT_BACKEND");
  static const Backend& chosen = backend_named(name ? name : "cpu");
  return chosen;
}

}  // namespace weft::kernels
