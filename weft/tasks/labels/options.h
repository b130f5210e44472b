// Which labelled text a training reads, and how it becomes tokens.
#ifndef WEFT_TASKS_LABELS_OPTIONS_H_
#define WEFT_TASKS_LABELS_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/labelled_fields.h"
#include "weft/data/text/vocabulary_options.h"

namespace weft::tasks {

// Where the text stands; which fields are labels is for the task to say.
struct LabelledTextLayout {
  static constexpr std::string_view kDefaultFormat = "tsv";

  std::string format{kDefaultFormat};
  std::optional<int64_t> text_field = {};

  template <class V>
  void fields(V& v) {
    v("format", format,
      {.help =
           "how examples and their fields, numbered from 0, stand in a text: tsv, an example a "
           "line, fields between tabs; files, a file for each field; first-word, field 0 is "
           "the first word of a line and field 1 the rest; jsonl, an array of JSON of strings a "
           "line, which may have tabs and line breaks; conll and conllu, a word a line, a blank "
           "line after each sentence",
       .choices = "tsv|files|first-word|jsonl|conll|conllu"});
    text_field_field(v, text_field);
  }
  template <class V>
  static void text_field_field(V& v, std::optional<int64_t>& field) {
    v("text-field", field,
      {.help = "the field that is the text; auto: with a trained model that of its training, else "
               "0, or 1 for labels of texts and for conllu, whose words are there",
       .min = 0,
       .max = 1e6});
  }

  bool has_a_word_a_line() const { return format == "conll" || format == "conllu"; }
  // Takes what is not given from a model's training. Returns whether the format is that of its
  // training.
  bool follow(const data::LabelledFields& trained);
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

  // Throws OptionError for another number of files than the layout has.
  void check() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LABELS_OPTIONS_H_
