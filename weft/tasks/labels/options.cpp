#include "weft/tasks/labels/options.h"

#include "weft/core/error.h"

namespace weft::tasks {

data::LabelledTextOptions LabelledTextLayout::with(std::vector<data::LabelField> labels) const {
  return {.layout = data::labelled_layout_named(format),
          .text_field = text_field,
          .labels = std::move(labels)};
}

void LabelledTextLayout::check_field(std::string_view option, int64_t field) const {
  if (field == text_field) {
    fail<OptionError>(option, "field {} is the text (--text-field); expected another one", field);
  }
  for (const auto& [name, number] :
       {std::pair(std::string_view("--text-field"), text_field), std::pair(option, field)}) {
    if (format != "first-word" || number < 2) continue;
    fail<OptionError>(name, "--format first-word has the fields 0 and 1; got {}", number);
  }
}

void LabelledTextLayout::check_files(std::string_view option,
                                     const std::vector<std::string>& files) const {
  if (format == "files" ? files.size() > 1 : files.size() == 1) return;
  fail<OptionError>(option, "expected {} with --format {}, got {}",
                    format == "files" ? "a file for each field" : "one file", format, files.size());
}

void LabelledDataOptions::check() const {
  text.check_files("--train-sets", train_sets);
  if (vocabs.size() != 1) {
    fail<OptionError>("--vocabs", "expected one vocabulary, that of the text; got {}",
                      vocabs.size());
  }
}

}  // namespace weft::tasks
