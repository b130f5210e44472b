// Texts of words that commands read: a line of words each, or labelled text whose labels are not
// read.
#ifndef APPS_WEFT_WORD_SOURCE_H_
#define APPS_WEFT_WORD_SOURCE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/weft/lines.h"
#include "weft/data/labels/labelled_text.h"
#include "weft/tasks/labels/line_encoder.h"

namespace weft::app {

struct WordOptions {
  static constexpr std::string_view kText = "text";
  std::string format{kText};
  int64_t text_field = 0;

  template <class V>
  void fields(V& v) {
    v("format", format,
      {.help = "how texts and their fields, numbered from 0, are laid out: text, a line of words "
               "between white space; else as in weft train tagging",
       .choices = "text|tsv|files|first-word|conll|conllu"});
    v("text-field", text_field, {.help = "the field that is the text", .min = 0, .max = 1e6});
  }
  bool is_text() const { return format == kText; }
  // Of a format that is not text. Throws OptionError for what the layout does not have.
  data::LabelledTextOptions with(std::vector<data::LabelField> labels) const {
    return {.layout = data::labelled_layout_named(format),
            .text_field = text_field,
            .labels = std::move(labels)};
  }
};

class WordSource {
 public:
  // Throws as LineSource and open_labelled_text() do.
  WordSource(const std::string& path, const WordOptions& options);

  // The words of the next text, none where it is empty or has a fault; false where there is none.
  bool next(std::vector<std::string>& words);
  // Whether next() would return without waiting for more of a pipe or a terminal.
  bool is_ready() { return lines_ ? lines_->is_ready() : text_->is_ready(); }
  // What was read: lines are texts.
  const tasks::LineReport& report() const { return report_; }
  // Of the first text with a fault that is not counted there.
  const std::optional<data::ExampleFault>& first_fault() const { return first_fault_; }

 private:
  void read_line(std::vector<std::string>& words);

  std::optional<LineSource> lines_;
  std::unique_ptr<data::LabelledText> text_;
  decode::SourceLine line_;
  tasks::LineReport report_;
  std::optional<data::ExampleFault> first_fault_;
};

}  // namespace weft::app

#endif  // APPS_WEFT_WORD_SOURCE_H_
