// A hint for labelled text that is laid out otherwise than it is read.
#ifndef WEFT_DATA_LABELS_LAYOUT_HINT_H_
#define WEFT_DATA_LABELS_LAYOUT_HINT_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/label_set.h"
#include "weft/data/labels/labelled_fields.h"

namespace weft::data {

// "; hint: ..." with the --format that a file of fields between tabs seems to have, by its first
// lines: conllu or conll, or, if labels are `of_lines`, first-word; else empty, and for standard
// input.
std::string layout_hint(const std::string& path, bool of_lines);

// Whether every label field of a line has labels of its set: in a field of labels of words one for
// each word, in one of labels of the text one. `labels` has the sets of words first. False for
// formats other than tsv, conll and conllu.
bool has_known_labels(std::string_view line, const LabelledFields& fields,
                      const std::vector<LabelSet>& labels);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LAYOUT_HINT_H_
