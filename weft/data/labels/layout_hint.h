// A hint for labelled text that is laid out otherwise than it is read.
#ifndef WEFT_DATA_LABELS_LAYOUT_HINT_H_
#define WEFT_DATA_LABELS_LAYOUT_HINT_H_

#include <string>

namespace weft::data {

// "; hint: ..." with the --format that a file of fields between tabs seems to have, by its first
// lines: conllu or conll, or, if labels are `of_lines`, first-word; else empty, and for standard
// input.
std::string layout_hint(const std::string& path, bool of_lines);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LAYOUT_HINT_H_
