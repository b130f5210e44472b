#include "weft/tasks/labels/options.h"

#include "weft/core/error.h"

namespace weft::tasks {

data::LabelledTextOptions LabelledTextLayout::with(std::vector<data::LabelField> labels) const {
  return {.layout = data::labelled_layout_named(format),
          .text_field = text_field,
          .labels = std::move(labels)};
}

void LabelledDataOptions::check() const {
  if (train_sets.empty()) fail<OptionError>("--train-sets", "missing; expected labelled text");
  if (vocabs.size() != 1) {
    fail<OptionError>("--vocabs", "expected one vocabulary, that of the text; got {}",
                      vocabs.size());
  }
}

}  // namespace weft::tasks
