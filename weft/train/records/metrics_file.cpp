#include "weft/train/records/metrics_file.h"

#include <fmt/core.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "weft/core/files/atomic_file.h"
#include "weft/core/files/mapped_file.h"
#include "weft/settings.h"

namespace weft::train {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string start_line(const TrainingStart& start) {
  return line_of({{"kind", "start"},
                  {"version", version()},
                  {"task", start.task},
                  {"parameters", start.parameters},
                  {"training", start.id},
                  {"options", Json::parse(start.options)}});
}

// Walks through the complete lines of a file.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : path_(path), file_(path) {}

  bool next() {
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

  const Json& json() const { return json_; }
  int64_t update() const { return number_ > 1 ? json_["update"].get<int64_t>() : 0; }
  std::optional<std::string> text(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  }
  // Bytes of the file up to the end of this line.
  size_t end() const { return end_; }
  int64_t number() const { return number_; }

 private:
  [[noreturn]] void fail_format(std::string_view expected) const {
    fail<FormatError>(fmt::format("{}:{}", path_, number_),
                      "not a line of training metrics; expected {}, as weft train --metrics writes",
                      expected);
  }

  std::string path_;
  MappedFile file_;
  Json json_;
  size_t end_ = 0;
  int64_t number_ = 0;
};

bool has_content(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return false;
  return !std::filesystem::is_regular_file(path, none) ||
         std::filesystem::file_size(path, none) > 0;
}

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

void MetricsFile::check(const std::string& path, bool resumes, bool overwrite) {
  check_writable(path);
  if (resumes || overwrite || !has_content(path)) return;
  fail<FileError>(path,
                  "exists, and this training has not begun; expected a new file; hint: --overwrite "
                  "replaces it");
}

MetricsFile::MetricsFile(const std::string& path, const TrainingStart& start) {
  size_t size = 0;
  if (start.resumes && has_content(path)) {
    LineReader in(path);
    while (in.next() && in.update() <= start.updates) {
      if (in.number() == 1 && in.text("training") != start.id) {
        fail<FileError>(path,
                        "holds the metrics of another training; expected those of the one that "
                        "resumes, or a new file");
      }
      size = in.end();
      const Json seconds = in.json().value("seconds", Json());
      if (seconds.is_number()) seconds_before_ = seconds.get<double>();
    }
  }
  if (size == 0) {
    const std::string line = start_line(start);
    write_file(path, line);
    size = line.size();
  }
  file_.emplace(path, size);
}

void MetricsFile::on_update(const UpdateRecord& record) {
  const UpdateReport& report = record.report;
  Json norms = Json::object();
  for (const PartNorm& p : record.gradient_norms) norms[p.part] = p.norm;
  file_->write(line_of(
      {{"kind", "update"},
       {"update", report.progress.updates},
       {"epoch", report.progress.epochs + 1},
       {"targets", report.progress.targets},
       {"seconds", seconds_before_ + record.seconds},
       {"loss", report.loss},
       {"learn_rate", report.learn_rate},
       {"gradient_norm", report.gradient_norm},
       {"skipped", report.skipped},
       {"targets_per_second", report.targets_per_second},
       {"memory", {{"resident", record.memory.resident_bytes}, {"peak", record.memory.peak_bytes}}},
       {"gradient_norms", std::move(norms)}}));
}

void MetricsFile::on_validation(const ValidationRecord& record) {
  Json metrics = Json::object();
  for (const Metric& m : record.metrics) metrics[m.name] = m.value;
  file_->write(line_of({{"kind", "validation"},
                        {"update", record.update},
                        {"seconds", seconds_before_ + record.seconds},
                        {"metrics", std::move(metrics)}}));
}

std::vector<MetricsLine> read_metrics(const std::string& path) {
  std::vector<MetricsLine> out;
  for (LineReader in(path); in.next();) {
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

}  // namespace weft::train
