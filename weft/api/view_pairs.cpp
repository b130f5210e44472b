#include "weft/api/view_pairs.h"

#include <algorithm>
#include <filesystem>

#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/core/log.h"
#include "weft/data/file_kind.h"
#include "weft/data/next_window.h"
#include "weft/data/standard_input.h"
#include "weft/data/text/text_file.h"
#include "weft/predict/line.h"
#include "weft/tasks/cross_view/options.h"

namespace weft {
namespace api {

const model_file::CrossViewSession& cross_view_session(const Model& model, bool is_completion) {
  const auto& session = session_of<model_file::CrossViewSession>(model);
  if (session.model.options.is_completion() != is_completion) {
    const std::string_view other = is_completion ? "motion" : "completion";
    fail<OptionError>(
        model.path(), "a model of --objective {}; expected --objective {}; hint: weft {} runs it",
        other, is_completion ? "completion" : "motion", is_completion ? "motion" : "complete");
  }
  return session;
}

void ViewPairOptions::check_files(const std::vector<std::string>& files) const {
  if (views.is<data::CroppedPairs>()) return;
  for (const std::string& path : files) {
    std::error_code none;
    const bool is_folder = std::filesystem::is_directory(path, none);
    const bool is_list =
        !is_folder && (data::is_stream(path) || !data::is_of_kind(data::FileKind::kPicture, path));
    if (is_list) continue;
    fail<OptionError>("--input",
                      "{} is a {}; expected a list of pairs; hint: --views crops cuts pairs from "
                      "pictures",
                      path, is_folder ? "folder" : "picture");
  }
}

data::ViewPairsOptions ViewPairOptions::params(const model_file::CrossViewSession& session) const {
  return tasks::view_options(views, session.model.options, session.model.dims.image);
}

std::unique_ptr<data::ViewPairs> ViewPairOptions::read(const model_file::CrossViewSession& session,
                                                       const std::vector<std::string>& files,
                                                       data::BadFiles bad_files) const {
  check_files(files);
  data::ViewPairsOptions options = params(session);
  options.bad_files = bad_files;
  auto pairs = data::read_view_pairs(files, options);
  log::info("{}", pairs->report());
  return pairs;
}

predict::ViewPredictorOptions CompleterOptions::prediction(
    const models::CrossViewOptions& model) const {
  require_option(!without_second || model.has_second_view(), "--without-second",
                 "the model sees no second view");
  predict::ViewPredictorOptions out = MotionOptions::prediction();
  out.mask_ratio =
      mask_ratio.value_or(model.objective.get<models::CompletionObjective>().mask_ratio);
  if (without_second) out.second = predict::SecondView::kOther;
  out.with_pictures = pictures;
  return out;
}

void CompleterOptions::check_pairs(int64_t pairs) const {
  require_option(!without_second || pairs != 1, "--without-second",
                 "needs the second view of another pair, got one pair");
}

}  // namespace api

ViewPairs::ViewPairs() = default;

int64_t ViewPairs::size() const { return size_; }

ViewPairs ViewPairs::part(int64_t first, int64_t most) const {
  if (first < 0 || first > size_ || most < 0) {
    fail<ShapeError>("pairs", "{} from {} on, of {}", most, first, size_);
  }
  return ViewPairs(read_, first_ + first, std::min(most, size_ - first));
}

namespace api {

ViewPairs all_of(std::unique_ptr<data::ViewPairs> set) {
  const int64_t size = set->size();
  ViewPairs::Read read{std::move(set)};
  return ViewPairs(std::make_shared<const ViewPairs::Read>(std::move(read)), 0, size);
}

// The lines of one pipe or standard input, as they come.
class PairLines {
 public:
  PairLines(const std::string& path, const data::ViewPairsOptions& options)
      : file_(path, data::kMaxLineBytes, data::StandardInput::kAsItComes), lines_(path, options) {}

  // False at the end, and from the first line on that names no pair.
  bool next(std::string& line) {
    if (fault_ || !file_.next()) return false;
    fault_ = fault_of_line();
    if (!fault_) line = file_.line();
    return !fault_;
  }
  bool is_ready() { return file_.is_ready(); }

  // The pairs of the lines that have come, of `most` lines at most; nothing at the end.
  std::unique_ptr<data::ViewPairs> next_pairs(int64_t most) {
    std::vector<std::string> window;
    if (data::next_window(*this, most, window)) return lines_.read(window);
    if (fault_) {
      fail<FormatError>(file_.path(), "line {}: {}; expected paths", file_.line_number(),
                        fault_->reason);
    }
    if (file_.line_number() == 0) {
      fail<FormatError>(file_.path(), "has no line; expected a pair or a picture a line");
    }
    return nullptr;
  }

 private:
  std::optional<Fault> fault_of_line() const {
    if (file_.is_too_long()) return predict::too_long_fault();
    return predict::fault_of_text({.text = std::string(file_.line())});
  }

  data::TextFile file_;
  data::ViewPairLines lines_;
  std::optional<Fault> fault_ = {};  // of the line read last, after those that were returned
};

}  // namespace api

struct ViewPairReader::State {
  std::optional<api::PairLines> lines;
  ViewPairs pairs;  // those read last
  int64_t taken = 0;
};

ViewPairReader::ViewPairReader(const Model& model, const std::vector<std::string>& files,
                               const Options& options)
    : state_(std::make_unique<State>()) {
  if (files.size() != 1 || !data::is_stream(files.front())) {
    state_->pairs = read_view_pairs(model, files, options);
    return;
  }
  const auto given = api::read_options<api::ViewPairOptions>(options);
  const auto& session = api::session_of<model_file::CrossViewSession>(model);
  state_->lines.emplace(files.front(), given.params(session));
}

ViewPairReader::~ViewPairReader() = default;
ViewPairReader::ViewPairReader(ViewPairReader&&) noexcept = default;
ViewPairReader& ViewPairReader::operator=(ViewPairReader&&) noexcept = default;

const OptionSchema& ViewPairReader::schema() { return api::schema_of<api::ViewPairOptions>(); }

ViewPairs ViewPairReader::next(int64_t most) {
  require_option(most > 0, "most", "expected a number of pairs above 0");
  while (state_->taken == state_->pairs.size() && state_->lines) {
    auto read = state_->lines->next_pairs(most);
    if (read == nullptr) break;
    state_->pairs = api::all_of(std::move(read));
    state_->taken = 0;
  }
  ViewPairs out = state_->pairs.part(state_->taken, most);
  state_->taken += out.size();
  return out;
}

ViewPairs read_view_pairs(const Model& model, const std::vector<std::string>& files,
                          const Options& options) {
  const auto given = api::read_options<api::ViewPairOptions>(options);
  const auto& session = api::session_of<model_file::CrossViewSession>(model);
  return api::all_of(given.read(session, files, data::BadFiles::kRefuse));
}

}  // namespace weft
