#include "apps/weft/input/word_source.h"

#include <fmt/core.h>

#include "weft/core/text/utf8.h"
#include "weft/data/text/plain_tokeniser.h"

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

bool WordSource::next(std::vector<std::string>& words) {
  words.clear();
  if (lines_) {
    if (!lines_->next(line_)) return false;
    read_line(words);
    ++report_.lines;
    return true;
  }
  if (!text_->next()) return false;
  ++report_.lines;
  if (!text_->fault()) {
    words.assign(text_->example().words.begin(), text_->example().words.end());
  } else if (++report_.faulty; !first_fault_) {
    first_fault_ = text_->fault();
  }
  return true;
}

// Words of a line that is not UTF-8 are tagged, too: what is malformed is an unknown character.
void WordSource::read_line(std::vector<std::string>& words) {
  if (line_.is_over_long) {
    ++report_.over_long;
    return;
  }
  if (!valid_utf8(line_.text)) ++report_.malformed;
  data::for_each_word(line_.text, [&](std::string_view word) { words.emplace_back(word); });
  if (words.empty()) ++report_.empty;
}

}  // namespace weft::app
