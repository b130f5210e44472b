#include "weft/formats/metrics_lines.h"

#include <fmt/core.h>

#include <limits>

#include "weft/core/error.h"

namespace weft::formats {
namespace {

using Json = nlohmann::ordered_json;

void add_number(const std::string& name, const Json& json, std::map<std::string, double>& out) {
  if (json.is_number()) out[name] = json.get<double>();
  if (json.is_null()) out[name] = std::numeric_limits<double>::quiet_NaN();
}

std::map<std::string, double> numbers_in(const Json& json) {
  std::map<std::string, double> out;
  for (const auto& [name, value] : json.items()) {
    add_number(name, value, out);
    if (!value.is_object()) continue;
    for (const auto& [key, member] : value.items())
      add_number(fmt::format("{}.{}", name, key), member, out);
  }
  return out;
}

}  // namespace

bool MetricsReader::next() {
  const std::string_view rest = file_.bytes().substr(end_);
  const size_t length = rest.find('\n');
  if (length == std::string_view::npos) return false;
  ++number_;
  json_ = Json::parse(rest.substr(0, length), nullptr, false);
  if (!json_.is_object() || !text("kind")) fail_format("an object with a kind");
  if (number_ == 1 && *text("kind") != "start") fail_format("a line of kind start");
  if (number_ > 1 && !json_.value("update", Json()).is_number_integer()) {
    fail_format("a whole number as update");
  }
  end_ += length + 1;
  return true;
}

std::optional<std::string> MetricsReader::text(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

void MetricsReader::fail_format(std::string_view expected) const {
  fail<FormatError>(fmt::format("{}:{}", path_, number_),
                    "not a line of training metrics; expected {}, as weft train --metrics writes",
                    expected);
}

std::vector<MetricsLine> read_metrics(const std::string& path) {
  std::vector<MetricsLine> out;
  for (MetricsReader in(path); in.next();) {
    MetricsLine& line = out.emplace_back();
    line.kind = *in.text("kind");
    line.update = in.update();
    if (line.kind != "start") line.values = numbers_in(in.json());
  }
  if (out.empty()) {
    fail<FormatError>(path,
                      "has no complete line; expected metrics as weft train --metrics writes");
  }
  return out;
}

}  // namespace weft::formats
