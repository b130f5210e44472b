#include "apps/weft/input/word_source.h"

#include "weft/core/log.h"

namespace weft::app {
namespace {

constexpr int64_t kLookedAt = 1000, kEnough = 3;  // lines

}  // namespace

void LabelledLineWarning::look_at(const std::string& line) {
  if (lines_ == kLookedAt || line.find_first_not_of(" \t\r") == line.npos) return;
  ++lines_;
  const std::string format = labelled_format(tagger_, line);
  in_sequence_ = format.empty() ? 0 : in_sequence_ + 1;
  if (in_sequence_ < kEnough) return;
  lines_ = kLookedAt;
  log::warn(
      "lines look like the labelled text of the model's training, but all of a line is tagged as "
      "words; hint: give --format {}",
      format);
}

WordSource::WordSource(const std::string& path, const WordOptions& options, const Model& tagger)
    : warning_(tagger) {
  if (options.is_text()) {
    lines_.emplace(path);
  } else {
    labelled_.emplace(tagger, input_path(path), options.changed());
  }
}

bool WordSource::next(Words& words) {
  if (labelled_) return labelled_->next(words);
  Line line;
  if (!lines_->next(line)) return false;
  warning_.look_at(line.text);
  words = words_of(line);
  return true;
}

}  // namespace weft::app
