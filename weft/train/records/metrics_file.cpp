#include "weft/train/records/metrics_file.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "weft/core/files/atomic_file.h"
#include "weft/formats/metrics_lines.h"
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

bool has_content(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return false;
  return !std::filesystem::is_regular_file(path, none) ||
         std::filesystem::file_size(path, none) > 0;
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
    formats::MetricsReader in(path);
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

}  // namespace weft::train
