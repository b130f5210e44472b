#include "weft/tasks/labels/options.h"

#include "weft/core/error.h"

namespace weft::tasks {

bool LabelledTextLayout::follow(const data::LabelledFields& trained) {
  if (format.empty()) format = trained.is_known() ? trained.format : std::string(kDefaultFormat);
  if (format != trained.format) return false;
  if (!text_field) text_field = trained.text;
  return true;
}

void LabelledTextLayout::check_files(std::string_view option,
                                     const std::vector<std::string>& files) const {
  if (format == "files" ? files.size() > 1 : files.size() == 1) return;
  fail<OptionError>(option, "expected {} with --format {}, got {}",
                    format == "files" ? "a file for each field" : "one file", format, files.size());
}

void LabelledDataOptions::check() const {
  if (!train_sets.empty()) text.check_files("--train-sets", train_sets);
}

}  // namespace weft::tasks
