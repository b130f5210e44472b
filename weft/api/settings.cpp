#include "weft/settings.h"

#include "weft/core/log.h"
#include "weft/core/parallel.h"
#include "weft/model_file/model_file.h"
#include "weft/tensor/pool.h"

namespace weft {

void use_threads(int threads) { set_threads(threads); }

TensorMemory tensor_memory() {
  const PoolStatistics found = pool_statistics();
  return {.peak_bytes = static_cast<int64_t>(found.peak_bytes),
          .reserved_bytes = static_cast<int64_t>(found.reserved_bytes)};
}

void check_model_files(bool enabled) { model_file::check_model_files(enabled); }

void send_log(LogSink sink) {
  if (!sink) return log::set_sink({});
  log::set_sink([sink = std::move(sink)](log::Level level, std::string_view message) {
    sink(level == log::Level::kWarning ? LogLevel::kWarning : LogLevel::kInfo, message);
  });
}

}  // namespace weft
