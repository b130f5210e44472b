#include "weft/train/records/event_folder.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

#include "weft/core/files/mapped_file.h"
#include "weft/formats/tfrecord.h"
#include "weft/train/records/event.h"

namespace weft::train {
namespace {

namespace fs = std::filesystem;

// "events.out.tfevents.SECONDS.weft-ID": TensorBoard reads every name with "tfevents" in it, in
// alphabetical order.
constexpr std::string_view kStem = "events.out.tfevents.";
constexpr std::string_view kMark = ".weft-";

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<std::string> event_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.find("tfevents") != std::string::npos) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

bool is_by_weft(const std::string& name) {
  return name.starts_with(kStem) && name.find(kMark) != std::string::npos;
}

int64_t seconds_in(const std::string& name) {
  int64_t seconds = 0;
  if (is_by_weft(name)) {
    std::from_chars(name.data() + kStem.size(), name.data() + name.size(), seconds);
  }
  return seconds;
}

void require(const std::error_code& error, const std::string& path, std::string_view action) {
  if (error) fail<FileError>(path, "cannot {}: {}", action, error.message());
}

// Cuts off the events after this update, and what is incomplete.
void shorten(const std::string& path, int64_t updates) {
  std::error_code error;
  const bool is_empty = fs::file_size(path, error) == 0;
  require(error, path, "open");
  if (is_empty) return;
  size_t kept = 0;
  {
    const MappedFile file(path);
    formats::TfrecordReader in(file.bytes());
    while (in.next() && step_of(in.data(), path) <= updates) kept = in.end();
  }
  fs::resize_file(path, kept, error);
  require(error, path, "shorten");
}

// Throws FileError for an event file that `is_mine` is false for.
void check_names(const std::string& folder, const std::vector<std::string>& names,
                 const std::function<bool(const std::string&)>& is_mine) {
  for (const std::string& name : names) {
    if (is_mine(name)) continue;
    fail<FileError>(folder,
                    "has {}, an event file of another training; expected a folder of its own for "
                    "each training",
                    name);
  }
}

}  // namespace

void EventFolder::check(const std::string& path, bool resumes, bool overwrite) {
  std::error_code none;
  fs::path existing = fs::absolute(path, none);
  while (!fs::exists(existing, none) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  if (!fs::is_directory(existing, none)) {
    fail<FileError>(path, "{} is not a folder; expected the path of a folder for event files",
                    existing.string());
  }
  if (::access(existing.c_str(), W_OK | X_OK) != 0) {
    fail<FileError>(path, "cannot write in {}: {}", existing.string(), std::strerror(errno));
  }
  const std::vector<std::string> names = event_files(path);
  check_names(path, names, is_by_weft);
  if (resumes || overwrite || names.empty()) return;
  fail<FileError>(path,
                  "has event files, such as {}, and this training has not begun; expected a folder "
                  "without; hint: --overwrite removes those that weft wrote",
                  names.front());
}

EventFolder::EventFolder(std::string path, const TrainingStart& start)
    : path_(std::move(path)), id_(start.id), updates_(start.updates) {
  std::error_code error;
  fs::create_directories(path_, error);
  require(error, path_, "create");
  const std::vector<std::string> names = event_files(path_);
  const std::string mine = std::string(kMark) + id_;
  check_names(path_, names, [&](const std::string& name) {
    return start.resumes ? name.ends_with(mine) : is_by_weft(name);
  });
  for (const std::string& name : names) {
    const std::string file = (fs::path(path_) / name).string();
    if (start.resumes) {
      shorten(file, updates_);
    } else {
      fs::remove(file, error);
      require(error, file, "remove");
    }
  }
}

// A file of its own for each run: a TensorBoard that is reading an earlier one goes on to it.
void EventFolder::open() {
  auto seconds = static_cast<int64_t>(now());
  for (const std::string& name : event_files(path_)) {
    seconds = std::max(seconds, seconds_in(name) + 1);
  }
  const std::string name = fmt::format("{}{}{}{}", kStem, seconds, kMark, id_);
  file_.emplace((fs::path(path_) / name).string(), 0);
  file_->write(formats::tfrecord(version_event({.wall = now()})));
  if (updates_ > 0) {
    file_->write(formats::tfrecord(restart_event({.wall = now(), .step = updates_ + 1})));
  }
}

void EventFolder::write(std::string_view event) {
  if (!file_) open();
  file_->write(formats::tfrecord(event));
}

void EventFolder::on_update(const UpdateRecord& record) {
  const UpdateReport& report = record.report;
  Summary out;
  out.scalar("train/loss", report.loss);
  out.scalar("train/learn_rate", report.learn_rate);
  out.scalar("train/gradient_norm", report.gradient_norm);
  out.scalar("train/targets_per_second", report.targets_per_second);
  for (const PartNorm& p : record.gradient_norms) {
    out.scalar("train/gradient_norm/" + p.part, p.norm);
  }
  out.scalar("memory/resident", static_cast<double>(record.memory.resident_bytes));
  out.scalar("memory/peak", static_cast<double>(record.memory.peak_bytes));
  write(out.event({.wall = now(), .step = report.progress.updates}));
}

void EventFolder::on_validation(const ValidationRecord& record) {
  Summary out;
  for (const Metric& m : record.metrics) out.scalar("valid/" + m.name, m.value);
  for (const PartHistogram& p : record.histograms) out.histogram("weights/" + p.part, p.weights);
  for (const Sample& sample : record.samples) {
    const std::string tag = "samples/" + sample.name;
    out.text(tag, sample.text);
    for (const auto& [name, image] : sample.pictures)
      out.image(fmt::format("{}/{}", tag, name), image);
  }
  write(out.event({.wall = now(), .step = record.update}));
}

void EventFolder::sync() {
  if (file_) file_->sync();
}

}  // namespace weft::train
