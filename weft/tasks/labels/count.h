// How many examples a labelled text has.
#ifndef WEFT_TASKS_LABELS_COUNT_H_
#define WEFT_TASKS_LABELS_COUNT_H_

#include <string>
#include <vector>

#include "weft/data/labels/labelled_text.h"

namespace weft::tasks {

// Those with a fault too; `enough` at most. Throws as data::open_labelled_text() does.
inline int64_t count_texts(const std::vector<std::string>& files,
                           const data::LabelledTextOptions& options, int64_t enough) {
  const std::unique_ptr<data::LabelledText> text = data::open_labelled_text(files, options);
  int64_t examples = 0;
  while (examples < enough && text->next()) ++examples;
  return examples;
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LABELS_COUNT_H_
