#include "weft/tasks/language_modelling/text_data.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"

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
                             const data::Tokeniser& tokeniser) {
  TextSequences out{.sequences = data::TokenSequences(options.max_length),
                    .name = data::joined_names(files)};
  data::read_training_texts(files, options.text_format(), [&](std::string_view text) {
    std::vector<int32_t> ids = {tokeniser.begin_id()};
    const std::vector<int32_t> tokens = tokeniser.encode(text);
    ids.insert(ids.end(), tokens.begin(), tokens.end());
    ids.push_back(tokeniser.end_id());
    out.sequences.add(ids);
    ++out.texts;
    out.bytes += std::ssize(text);
    out.unknown += std::ranges::count(tokens, tokeniser.unknown_id());
  });
  if (out.texts == 0) fail<FormatError>(out.name, "no text; expected at least one");
  return out;
}

}  // namespace weft::tasks
