#include "weft/tasks/language_modelling/text_data.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/predict/scoring/token_texts.h"

namespace weft::tasks {

data::VocabularyText training_vocabulary_text(const TextDataOptions& options) {
  const auto name = [options](std::span<const int64_t>) {
    return data::joined_names(options.train_sets);
  };
  const auto read = [options](std::span<const int64_t>, const data::VocabularyText::Take& take) {
    data::read_training_texts(options.train_sets, options.text_format(), take);
  };
  return {name, read};
}

std::string TextSequences::report() const {
  const int64_t tokens = sequences.total_labels();
  return fmt::format("{}: {}, {} bytes; {} of {} tokens, unknown {:.2g} %", name,
                     counted(texts, "text"), bytes, counted(sequences.size(), "sequence"), tokens,
                     100 * static_cast<double>(unknown) / static_cast<double>(tokens));
}

TextSequences read_sequences(const std::vector<std::string>& files, const TextDataOptions& options,
                             const model_file::LanguageModelSession& session) {
  const auto end = static_cast<int32_t>(session.model.dims.end_ids.front());
  TextSequences out{.sequences = data::TokenSequences(options.max_length),
                    .name = data::joined_names(files)};
  data::read_training_texts(files, options.text_format(), [&](std::string_view text) {
    std::vector<int32_t> ids = predict::tokens_of_text(session, text);
    out.unknown += std::ranges::count(ids, session.tokeniser->unknown_id());
    ids.push_back(end);
    out.sequences.add(ids);
    ++out.texts;
    out.bytes += std::ssize(text);
  });
  if (out.texts == 0) fail<FormatError>(out.name, "no text; expected at least one");
  return out;
}

}  // namespace weft::tasks
