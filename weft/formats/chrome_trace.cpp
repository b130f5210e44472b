#include "weft/formats/chrome_trace.h"

#include <nlohmann/json.hpp>

#include "weft/core/files/atomic_file.h"

namespace weft::formats {

void write_chrome_trace(const std::string& path, std::span<const profile::Event> events) {
  auto list = nlohmann::json::array();
  for (const profile::Event& e : events) {
    list.push_back({{"name", e.name},
                    {"ph", "X"},  // a complete event
                    {"ts", e.begin},
                    {"dur", e.length},
                    {"pid", 1},
                    {"tid", 1}});
  }
  write_file(path, nlohmann::json{{"traceEvents", std::move(list)}}.dump());
}

}  // namespace weft::formats
