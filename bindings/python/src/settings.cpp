#include "weft/settings.h"

#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"

namespace weft::python {
namespace {

// take(is_warning, message); None: messages are dropped.
void send_log_to(nb::object take) {
  if (take.is_none()) return without_lock([] { send_log({}); });
  // Never destroyed without the lock.
  const auto held = std::shared_ptr<nb::object>(new nb::object(std::move(take)), [](nb::object* p) {
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire lock;
    delete p;
  });
  without_lock([&] {
    send_log([held](LogLevel level, std::string_view message) {
      if (!nb::is_alive()) return;
      const nb::gil_scoped_acquire lock;
      try {
        (*held)(level == LogLevel::kWarning, str_of(message));
      } catch (nb::python_error& error) {
        error.discard_as_unraisable("weft log");
      }
    });
  });
}

}  // namespace

void bind_settings(nb::module_& module) {
  module.def("version", [] { return str_of(version()); });
  module.def("set_threads", [](int threads) { without_lock([&] { use_threads(threads); }); });
  module.def("send_log", send_log_to, nb::arg("take").none());
}

}  // namespace weft::python
