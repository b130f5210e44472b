// How the labels of words are written.
#ifndef APPS_WEFT_OUTPUT_TAG_LAYOUT_H_
#define APPS_WEFT_OUTPUT_TAG_LAYOUT_H_

#include <string>
#include <vector>

#include "weft/options/one_of.h"
#include "weft/tag.h"

namespace weft::app {

using TextLines = std::vector<std::string>;

// A layout is layout(tagged), the lines of a text. With probabilities they stand behind the
// labels that they are of, in a field of their own.

struct LabelsLayout {
  static constexpr std::string_view kName = "labels";
  static constexpr std::string_view kHelp =
      "a line for a text, its labels between spaces, several columns of them between tabs";
  TextLines operator()(const TaggedText& tagged) const;
};
struct TsvLayout {
  static constexpr std::string_view kName = "tsv";
  static constexpr std::string_view kHelp = "the same with the words before them";
  TextLines operator()(const TaggedText& tagged) const;
};
struct ConllLayout {
  static constexpr std::string_view kName = "conll";
  static constexpr std::string_view kHelp =
      "a line for a word, word and labels between tabs, a blank line behind each text; a label of "
      "the text stands beside each of its words";
  TextLines operator()(const TaggedText& tagged) const;
};
using TagLayout = options::OneOf<LabelsLayout, TsvLayout, ConllLayout>;

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_TAG_LAYOUT_H_
