#include "weft/settings.h"

#include "weft/core/log.h"
#include "weft/core/parallel.h"

namespace weft {

void use_threads(int threads) { set_threads(threads); }

void send_log(LogSink sink) {
  if (!sink) return log::set_sink({});
  log::set_sink([sink = std::move(sink)](log::Level level, std::string_view message) {
    sink(level == log::Level::kWarning ? LogLevel::kWarning : LogLevel::kInfo, message);
  });
}

}  // namespace weft
