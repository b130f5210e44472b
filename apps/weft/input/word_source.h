// Texts of words that commands read: a line of words each, or labelled text whose labels are not
// read.
#ifndef APPS_WEFT_INPUT_WORD_SOURCE_H_
#define APPS_WEFT_INPUT_WORD_SOURCE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/weft/input/lines.h"
#include "weft/predict/tagging/words.h"
#include "weft/tasks/labels/options.h"

namespace weft::app {

struct WordOptions {
  static constexpr std::string_view kText = "text";
  std::string format{kText};
  std::optional<int64_t> text_field = {};

  template <class V>
  void fields(V& v) {
    v("format", format,
      {.help = "how texts and their fields, numbered from 0, are laid out: text, a line of words "
               "between white space; else as in weft train tagging",
       .choices = "text|tsv|files|first-word|jsonl|conll|conllu"});
    tasks::LabelledTextLayout::text_field_field(v, text_field);
  }
  bool is_text() const { return format == kText; }
  // Of a format that is not text.
  tasks::LabelledTextLayout layout() const { return {format, text_field}; }
};

class WordSource {
 public:
  // Throws as LineSource and open_labelled_text() do; labels are not read.
  explicit WordSource(const std::string& path);
  WordSource(const std::string& path, const data::LabelledFields& fields);

  // The words of the next text; false where there is none.
  bool next(predict::Words& words);
  // Whether next() would return without waiting for more of a pipe or a terminal.
  bool is_ready() { return lines_ ? lines_->is_ready() : text_->is_ready(); }

 private:
  std::optional<LineSource> lines_;
  std::unique_ptr<data::LabelledText> text_;
};

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_WORD_SOURCE_H_
