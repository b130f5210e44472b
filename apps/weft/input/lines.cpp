#include "apps/weft/input/lines.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/weft/command.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/data/images/idx.h"
#include "weft/data/standard_input.h"

namespace weft::app {

namespace {

// Throws FormatError where there is none.
std::vector<std::string> files_of_kind(data::FileKind kind, const std::string& folder) {
  std::vector<std::string> out = data::files_in(folder), others;
  std::erase_if(out, [&](const std::string& file) {
    if (!is_stream(file) && data::is_of_kind(kind, file)) return false;
    others.push_back(file);
    return true;
  });
  const std::string_view name = data::name_of(kind);
  if (out.empty()) fail<FormatError>(folder, "has no {}; expected at least one", name);
  if (!others.empty()) {
    log::warn("{}: left out {} of other kinds than {}; the first is {}", folder,
              counted(std::ssize(others), "file"), name, others.front());
  }
  log::info("{}: {}, in byte order of their paths", folder, counted(std::ssize(out), "file"));
  return out;
}

}  // namespace

std::string input_path(const std::string& input) {
  return input == kStandardInput ? std::string(data::kStandardInput) : input;
}

bool is_standard_output(const std::string& output) {
  return output == kStandardOutput || output == "-";
}

bool is_stream(const std::string& input) { return data::is_stream(input_path(input)); }

LineSource::LineSource(const std::string& path)
    : file_(std::in_place, input_path(path), data::kMaxLineBytes, data::StandardInput::kAsItComes) {
}

LineSource::LineSource(const std::string& path, data::FileKind kind) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    paths_ = files_of_kind(kind, path);
  } else if (!is_stream(path) && data::is_of_kind(kind, path)) {
    paths_ = {path};
  } else {
    *this = LineSource(path);
    is_list_ = true;
  }
}

bool LineSource::next(Line& line) {
  if (!file_) {
    if (taken_ == paths_.size()) return false;
    line = {.text = paths_[taken_++]};
    return true;
  }
  if (!file_->next()) return false;
  if (is_list_ && file_->line_number() == 1) check_list();
  line = {.text = std::string(file_->line())};
  if (file_->is_too_long()) line.fault = Fault{FaultKind::kTooLong, "the line is too long"};
  return true;
}

void LineSource::check_list() const {
  if (const std::optional<data::FileKind> kind = data::kind_of(file_->line())) {
    fail<FormatError>(file_->path(), "is a {}; expected a list of paths, one a line",
                      data::name_of(*kind));
  }
  if (data::begins_as_idx(file_->line())) {
    fail<FormatError>(file_->path(),
                      "is in MNIST's form (IDX); expected a list of paths, one a line; hint: "
                      "--input reads such a file of pictures, but not from a pipe");
  }
}

LineSink::LineSink(const std::string& path) : path_(path), is_standard_(is_standard_output(path)) {
  if (is_standard_) return;
  file_.open(path, std::ios::binary);
  check();
}

void LineSink::write(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    put(line);
    put("\n");
  }
  flush();
}

void LineSink::write_part(std::string_view text) {
  put(text);
  flush();
}

void LineSink::put(std::string_view text) {
  is_standard_ ? print(text) : static_cast<void>(file_ << text);
}

void LineSink::flush() {
  is_standard_ ? flush_output() : static_cast<void>(file_.flush());
  check();
}

void LineSink::check() const {
  if (!is_standard_ && !file_) {
    fail<FileError>(path_, "cannot be written: {}", std::strerror(errno));
  }
}

}  // namespace weft::app
