#include "apps/weft/input/word_source.h"

#include <fmt/core.h>

namespace weft::app {

namespace {

data::LabelledTextOptions as_it_comes(const data::LabelledFields& fields) {
  data::LabelledTextOptions out = fields.reading();
  out.standard_input = data::StandardInput::kAsItComes;
  return out;
}

}  // namespace

WordSource::WordSource(const std::string& path) : lines_(path) {}

WordSource::WordSource(const std::string& path, const data::LabelledFields& fields)
    : text_(data::open_labelled_text({input_path(path)}, as_it_comes(fields))) {}

bool WordSource::next(predict::Words& words) {
  if (lines_) {
    predict::Line line;
    if (!lines_->next(line)) return false;
    words = predict::words_of(line);
    return true;
  }
  if (!text_->next()) return false;
  words = {};
  if (const std::optional<data::ExampleFault>& fault = text_->fault()) {
    words.fault = Fault{FaultKind::kUnreadable, fmt::format("{}: {}", fault->where, fault->what)};
  } else {
    words.words.assign(text_->example().words.begin(), text_->example().words.end());
  }
  return true;
}

}  // namespace weft::app
