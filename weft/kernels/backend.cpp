#include "weft/kernels/backend.h"

#include <cstdlib>

#include "weft/core/error.h"
#include "weft/core/profile.h"
#include "weft/kernels/profiled.h"

namespace weft::kernels {

const Backend& backend_named(std::string_view name) {
  if (name == "cpu") return cpu_backend();
  if (name == "ref") return ref_backend();
  fail<OptionError>("WEFT_BACKEND", "unknown backend; expected cpu or ref, got \"{}\"", name);
}

const Backend& default_backend() {
  static const Backend& chosen = []() -> const Backend& {
    const char* name = std::getenv("WEFT_BACKEND");
    return backend_named(name ? name : "cpu");
  }();
  static const ProfiledBackend profiled(chosen);
  if (profile::is_on()) return profiled;
  return chosen;
}

}  // namespace weft::kernels
