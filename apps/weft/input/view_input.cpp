#include "apps/weft/input/view_input.h"

#include <filesystem>
#include <utility>

#include "apps/weft/input/lines.h"
#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/core/text/utf8.h"

namespace weft::app {
namespace {

// Throws FormatError for a line over the limit and one that is not UTF-8; `first` is the number of
// the first one.
std::vector<std::string> texts_of(std::span<const predict::Line> lines, const std::string& path,
                                  int64_t first) {
  std::vector<std::string> out;
  out.reserve(lines.size());
  for (const predict::Line& line : lines) {
    if (line.is_over_long || !valid_utf8(line.text)) {
      fail<FormatError>(path, "line {} is {}; expected paths", first + std::ssize(out),
                        line.is_over_long ? "too long" : "not UTF-8");
    }
    out.push_back(line.text);
  }
  return out;
}

}  // namespace

model_file::CrossViewSession ViewInput::load() const {
  return model_file::load_packed<model_file::CrossViewSession>(model, precision.value());
}

data::ViewPairsOptions ViewInput::pair_options(const model_file::CrossViewSession& session) const {
  return tasks::view_options(views, session.model.options, session.model.sizes.image);
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

void ViewInput::for_each_window(const model_file::CrossViewSession& session,
                                const Take& take) const {
  if (input.size() > 1 || !is_stream(input.front())) return take(*read(session), 0);
  const std::string path = input_path(input.front());
  data::ViewPairLines lines(path, pair_options(session));
  LineSource source(path);
  int64_t line = 1, first = 0;
  app::for_each_window(source, mini_batch, [&](std::span<const predict::Line> window) {
    const auto pairs = lines.read(texts_of(window, path, line));
    line += std::ssize(window);
    take(*pairs, std::exchange(first, first + pairs->size()));
  });
  if (first == 0) fail<FormatError>(path, "has no line; expected a pair or a picture a line");
}

}  // namespace weft::app
