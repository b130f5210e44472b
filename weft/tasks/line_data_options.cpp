#include "weft/tasks/line_data_options.h"

#include "weft/data/file_names.h"
#include "weft/data/sequences/training_texts.h"

namespace weft::tasks {

data::VocabularyText LineDataOptions::vocabulary_text() const {
  const auto name = [files = train_sets](std::span<const int64_t>) {
    return data::joined_names(files);
  };
  const auto read = [files = train_sets](std::span<const int64_t>,
                                         const data::VocabularyText::Take& take) {
    data::read_training_texts(
        files, data::TextFormat::kLines,
        [&](const data::TrainingText& line, std::string_view) { take(line.text); });
  };
  return {name, read};
}

}  // namespace weft::tasks
