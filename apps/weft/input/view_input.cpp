#include "apps/weft/input/view_input.h"

#include <filesystem>

#include "weft/core/error.h"
#include "weft/core/log.h"

namespace weft::app {
namespace {

// Throws FormatError for a line over the limit and one that is not UTF-8; `first` is the number of
// the first one.
std::vector<std::string> texts_of(std::span<const predict::Line> lines, const std::string& path,
                                  int64_t first) {
  std::vector<std::string> out;
  out.reserve(lines.size());
  for (const predict::Line& line : lines) {
    if (const auto fault = predict::fault_of_text(line)) {
      fail<FormatError>(path, "line {}: {}; expected paths", first + std::ssize(out),
                        fault->reason);
    }
    out.push_back(line.text);
  }
  return out;
}

}  // namespace

data::ViewPairsOptions ViewInput::pair_options(const model_file::CrossViewSession& session) const {
  return tasks::view_options(views, session.model.options, session.model.dims.image);
}

std::unique_ptr<data::ViewPairs> ViewInput::read(const model_file::CrossViewSession& session,
                                                 data::BadFiles bad_files) const {
  check_input();
  data::ViewPairsOptions options = pair_options(session);
  options.bad_files = bad_files;
  auto pairs = data::read_view_pairs(input, options);
  log::info("{}", pairs->report());
  return pairs;
}

void ViewInput::check_input() const {
  if (views.is<data::CroppedPairs>()) return;
  for (const std::string& path : input) {
    std::error_code none;
    const bool is_folder = std::filesystem::is_directory(path, none);
    if (!is_folder && (is_stream(path) || !data::is_of_kind(data::FileKind::kPicture, path))) {
      continue;
    }
    fail<OptionError>("--input",
                      "{} is a {}; expected a list of pairs; hint: --views crops cuts pairs from "
                      "pictures",
                      path, is_folder ? "folder" : "picture");
  }
}

PairSource::PairSource(const ViewInput& input, const model_file::CrossViewSession& session) {
  if (input.input.size() > 1 || !is_stream(input.input.front())) {
    pairs_ = input.read(session);
    return;
  }
  path_ = input_path(input.input.front());
  lines_.emplace(path_, input.pair_options(session));
  source_.emplace(path_);
}

bool PairSource::read_lines(int64_t most) {
  std::vector<predict::Line> window;
  if (!source_ || !next_window(*source_, most, window)) return false;
  pairs_ = lines_->read(texts_of(window, path_, line_));
  line_ += std::ssize(window);
  taken_ = 0;
  return true;
}

bool PairSource::next(int64_t most, std::vector<predict::PairOfSet>& window) {
  window.clear();
  while (pairs_ == nullptr || taken_ == pairs_->size()) {
    if (read_lines(most)) continue;
    if (pairs_ == nullptr) {
      fail<FormatError>(path_, "has no line; expected a pair or a picture a line");
    }
    return false;
  }
  for (; std::ssize(window) < most && taken_ < pairs_->size(); ++taken_) {
    window.push_back({pairs_.get(), taken_});
  }
  return true;
}

}  // namespace weft::app
