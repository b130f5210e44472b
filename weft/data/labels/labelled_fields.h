// Which fields of labelled text are read, as a training reads them and its model file keeps them.
#ifndef WEFT_DATA_LABELS_LABELLED_FIELDS_H_
#define WEFT_DATA_LABELS_LABELLED_FIELDS_H_

#include <string>
#include <vector>

#include "weft/data/labels/labelled_text.h"
#include "weft/options/fields.h"

namespace weft::data {

struct LabelledFields {
  std::string format = {};  // the name of a LabelledLayout; empty: not known
  int64_t text = 0;
  std::vector<int64_t> word_labels = {};  // with a label for each word
  std::vector<int64_t> text_labels = {};  // with labels of the whole text
  std::string separators = {};            // between several labels of a text; empty: it has one
  int64_t pair = kNoField;                // a second text

  template <class V>
  void fields(V& v) {
    v("format", format,
      {.help = "how training text was laid out",
       .choices = "tsv|files|first-word|jsonl|conll|conllu"});
    v("text-field", text, {.help = "its field that is the text", .min = 0, .max = 1e6});
    v("word-labels", word_labels,
      {.help = "its fields with a label for each word", .min = 0, .max = 1e6});
    v("text-labels", text_labels,
      {.help = "its fields with labels of the whole text", .min = 0, .max = 1e6});
    v("label-separators", separators, {.help = "characters between several labels of a text"});
    v("pair-field", pair,
      {.help = "its field that is a second text", .min = -1, .max = 1e6, .omitted_if = "-1"});
  }

  bool has_pairs() const { return pair != kNoField; }
  bool is_known() const { return !format.empty(); }
  size_t columns() const { return word_labels.size() + text_labels.size(); }
  // Of a label column of a model: those of words come first.
  int64_t field_of(size_t column) const {
    return column < word_labels.size() ? word_labels[column]
                                       : text_labels[column - word_labels.size()];
  }
  // "text in field 1, labels of words in field 3, labels of texts in field 4"
  std::string report() const;
  // Throws OptionError for an unknown format.
  LabelledTextOptions reading() const;
};

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LABELLED_FIELDS_H_
