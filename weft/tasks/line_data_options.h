// The text of tasks that learn from plain lines.
#ifndef WEFT_TASKS_LINE_DATA_OPTIONS_H_
#define WEFT_TASKS_LINE_DATA_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/data/text/open_vocabularies.h"
#include "weft/data/text/vocabulary_options.h"

namespace weft::tasks {

struct LineDataOptions : data::VocabularyOptions {
  std::vector<std::string> train_sets;
  int64_t max_length = 128;

  // The text that a vocabulary is made of.
  data::VocabularyText vocabulary_text() const;

  template <class V>
  void fields(V& v) {
    v("train-sets", train_sets,
      {.help = "lines of text, plain or .gz, or - for standard input",
       .letter = 't',
       .required = true,
       .reads = true,
       .may_change = true});
    VocabularyOptions::fields(v);
    v("max-length", max_length,
      {.help = "longest sequence, in tokens without special symbols; a longer line is cut into "
               "several",
       .min = 1,
       .max = 1e6});
  }
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LINE_DATA_OPTIONS_H_
