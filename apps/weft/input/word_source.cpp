#include "apps/weft/input/word_source.h"

namespace weft::app {

WordSource::WordSource(const std::string& path, const WordOptions& options, const Model& tagger) {
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
  words = words_of(line);
  return true;
}

}  // namespace weft::app
