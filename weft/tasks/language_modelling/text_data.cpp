#include "weft/tasks/language_modelling/text_data.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/predict/scoring/token_texts.h"
#include "weft/tasks/language_modelling/example_tokens.h"
#include "weft/tasks/language_modelling/samples.h"

namespace weft::tasks {
namespace {

// Of the text of the labels among the first `max_length` + 1 tokens.
int64_t label_bytes(const data::Tokeniser& tokeniser, const ExampleTokens& tokens,
                    int64_t max_length) {
  const int64_t count = std::min(max_length + 1, std::ssize(tokens.ids));
  const auto is_label = [&](int64_t i) {
    return i > 0 && (tokens.is_label.empty() || tokens.is_label[static_cast<size_t>(i)]);
  };
  int64_t bytes = 0;
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    do ++end;
    while (end < count && is_label(end) == is_label(begin));
    if (is_label(begin)) bytes += predict::bytes_of_tokens(tokeniser, tokens.ids, {begin, end});
  }
  return bytes;
}

void keep_first(const data::TrainingText& text, std::vector<data::TrainingText>& first) {
  constexpr size_t kBytes = 4096;
  if (first.size() == kSampledTexts) return;
  first.push_back({text.text.substr(0, text.completion ? text.text.npos : kBytes), text.completion,
                   text.conversation});
}

}  // namespace

data::VocabularyText training_vocabulary_text(const TextDataOptions& options) {
  const auto name = [options](std::span<const int64_t>) {
    return data::joined_names(options.train_sets);
  };
  const auto read = [options](std::span<const int64_t>, const data::VocabularyText::Take& take) {
    data::read_training_texts(
        options.train_sets, options.text_format(),
        [&](const data::TrainingText& text, std::string_view) { data::for_each_part(text, take); });
  };
  return {name, read};
}

std::string TextSequences::report() const {
  const int64_t tokens = sequences.total_labels();
  std::string out =
      fmt::format("{}: {}, {} bytes; {}, {} tokens to learn, unknown {:.2g} %", name,
                  counted(texts, "text"), bytes, counted(sequences.size(), "sequence"), tokens,
                  100 * static_cast<double>(unknown) / static_cast<double>(tokens));
  if (cropped > 0) out += fmt::format("; {} cropped to --max-length", cropped);
  if (left_out > 0) out += fmt::format(", {} of these without a token to learn", left_out);
  return out;
}

TextSequences read_sequences(const std::vector<std::string>& files, const TextDataOptions& options,
                             const model_file::LanguageModelSession& session) {
  TextSequences out{.sequences = data::TokenSequences(options.max_length),
                    .name = data::joined_names(files)};
  ExampleTokeniser tokens_of(session, options.loss_on == "all");
  const auto add = [&](const data::TrainingText& text, std::string_view where) {
    ExampleTokens tokens;
    try {
      tokens = tokens_of(text);
    } catch (const Error& error) {
      fail<FormatError>(where, "{}", error.what());
    }
    ++out.texts;
    keep_first(text, out.first);
    out.unknown += std::ranges::count(tokens.ids, session.tokeniser->unknown_id());
    data::for_each_part(text, [&](std::string_view part) { out.bytes += std::ssize(part); });
    if (text.completion || text.conversation) {
      out.label_bytes += label_bytes(*session.tokeniser, tokens, options.max_length);
      out.cropped += std::ssize(tokens.ids) > options.max_length + 1 ? 1 : 0;
      out.left_out += out.sequences.add_first(tokens.ids, tokens.is_label) ? 0 : 1;
    } else {
      out.label_bytes += std::ssize(text.text);
      out.sequences.add(tokens.ids, tokens.is_label);
    }
  };
  data::read_training_texts(files, options.text_format(), add);
  if (out.sequences.size() == 0) {
    fail<FormatError>(out.name, "no text of two tokens in --max-length; expected at least one");
  }
  return out;
}

}  // namespace weft::tasks
