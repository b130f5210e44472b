// Which labelled text a training reads, and how it becomes tokens.
#ifndef WEFT_TASKS_LABELS_OPTIONS_H_
#define WEFT_TASKS_LABELS_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/data/labels/labelled_text.h"
#include "weft/data/vocabulary_options.h"

namespace weft::tasks {

// Where the text stands; which fields are labels is for the task to say.
struct LabelledTextLayout {
  std::string format = "tsv";
  int64_t text_field = 0;

  template <class V>
  void fields(V& v) {
    v("format", format,
      {.help = "how examples and their fields, numbered from 0, stand in a text: tsv, an example a "
               "line, fields between tabs; files, a file for each field; first-word, field 0 is "
               "the first word of a line and field 1 the rest; conll and conllu, a word a line, a "
               "blank line after each sentence",
       .choices = "tsv|files|first-word|conll|conllu"});
    v("text-field", text_field, {.help = "the field that is the text", .min = 0, .max = 1e6});
  }

  bool has_a_word_a_line() const { return format == "conll" || format == "conllu"; }
  // With these fields as labels.
  data::LabelledTextOptions with(std::vector<data::LabelField> labels) const;
  // Throws OptionError, naming the `option`, for a field that is the text's or that the layout does
  // not have.
  void check_field(std::string_view option, int64_t field) const;
  // Throws OptionError, naming the `option`, for another number of files than the layout has.
  void check_files(std::string_view option, const std::vector<std::string>& files) const;
};

struct LabelledDataOptions : data::VocabularyOptions {
  std::vector<std::string> train_sets;
  LabelledTextLayout text;
  int64_t max_length = 512;

  template <class V>
  void fields(V& v) {
    example_fields(v);
    text_fields(v);
  }
  // Which examples.
  template <class V>
  void example_fields(V& v) {
    v("train-sets", train_sets,
      {.help = "labelled training text, plain or .gz, or - for standard input: a file, or with "
               "--format files one for each field",
       .letter = 't',
       .required = true,
       .reads = true,
       .may_change = true});
    text.fields(v);
  }
  // How text becomes tokens.
  template <class V>
  void text_fields(V& v) {
    VocabularyOptions::fields(v);
    v("max-length", max_length,
      {.help = "longest text, in tokens without special symbols; the end of a longer one is cut "
               "off; 0: any",
       .min = 0,
       .max = 1e6});
  }

  // Throws OptionError for another number of vocabularies or files.
  void check() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LABELS_OPTIONS_H_
