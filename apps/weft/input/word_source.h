// Texts of words that commands read: a line of words each, or labelled text whose labels are not
// read.
#ifndef APPS_WEFT_INPUT_WORD_SOURCE_H_
#define APPS_WEFT_INPUT_WORD_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "apps/weft/flags/library_options.h"
#include "apps/weft/input/lines.h"
#include "weft/tag.h"

namespace weft::app {

struct WordOptions {
  static constexpr std::string_view kText = "text";
  std::string format{kText};
  LibraryOptions labelled{LabelledWords::schema(), {"format"}};

  template <class V>
  void fields(V& v) {
    v("format", format,
      {.help = "how texts and their fields, numbered from 0, are laid out: text, a line of words "
               "between white space; else as in weft train tagging",
       .choices = "text|tsv|files|first-word|jsonl|conll|conllu"});
    labelled.fields(v);
  }
  bool is_text() const { return format == kText; }
  // Of a format that is not text; with text that of the model's training.
  Options changed() const {
    Options out = labelled.changed();
    if (!is_text()) out.push_back({"format", format});
    return out;
  }
};

// Warns, once, where plain lines look like labelled text of the model's training.
class LabelledLineWarning {
 public:
  explicit LabelledLineWarning(Model tagger) : tagger_(std::move(tagger)) {}

  void look_at(const std::string& line);

 private:
  Model tagger_;
  int64_t lines_ = 0;        // looked at
  int64_t in_sequence_ = 0;  // the last ones, which have labels
};

class WordSource {
 public:
  // Throws as LineSource and LabelledWords do.
  WordSource(const std::string& path, const WordOptions& options, const Model& tagger);

  // The words of the next text; false where there is none.
  bool next(Words& words);
  // Whether next() would return without waiting for more of a pipe or a terminal.
  bool is_ready() { return lines_ ? lines_->is_ready() : labelled_->is_ready(); }

 private:
  std::optional<LineSource> lines_;
  std::optional<LabelledWords> labelled_;
  LabelledLineWarning warning_;
};

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_WORD_SOURCE_H_
