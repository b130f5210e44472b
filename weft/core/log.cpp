#include "weft/core/log.h"

#include <mutex>

namespace weft::log {
namespace {

std::mutex mutex;
Sink current_sink;

}  // namespace

void set_sink(Sink sink) {
  const std::lock_guard lock(mutex);
  current_sink = std::move(sink);
}

void write(Level level, std::string_view message) {
  const std::lock_guard lock(mutex);
  if (current_sink) current_sink(level, message);
}

}  // namespace weft::log
