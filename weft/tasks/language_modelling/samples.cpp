#include "weft/tasks/language_modelling/samples.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "weft/core/error.h"
#include "weft/predict/generation/generator.h"
#include "weft/tasks/language_modelling/example_tokens.h"
#include "weft/tasks/sample_table.h"

namespace weft::tasks {
namespace {

constexpr size_t kPromptBytes = 200;  // of a text, at most
constexpr int64_t kLength = 64;       // of a continuation, in tokens

// The texts of a sample: what the model is given, and what follows it there.
struct SampleText {
  predict::Prompt prompt;
  std::string shown;  // the prompt
  std::string reference;
};

// A number of bytes that ends between two characters of UTF-8.
size_t whole_characters(std::string_view text, size_t bytes) {
  while (bytes > 0 && bytes < text.size() &&
         (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80)
    --bytes;
  return bytes;
}

SampleText beginning_of(const std::string& text) {
  const size_t cut = whole_characters(text, std::min(kPromptBytes, text.size() / 2));
  const size_t end = whole_characters(text, std::min(2 * kPromptBytes, text.size()));
  return {{.text = text.substr(0, cut)}, text.substr(0, cut), text.substr(cut, end - cut)};
}

SampleText before_last_answer(const data::Conversation& conversation) {
  SampleText out;
  out.prompt.conversation = conversation;
  data::ChatJson& messages = out.prompt.conversation->messages;
  size_t last = messages.size();
  while (last > 0 && messages[last - 1]["role"] != "assistant") --last;
  if (last == 0) return out;
  const auto content = [](const data::ChatJson& message) {
    return message["content"].is_string() ? message["content"].get<std::string>()
                                          : message["content"].dump();
  };
  out.reference = content(messages[last - 1]);
  messages.erase(messages.begin() + static_cast<int64_t>(last) - 1, messages.end());
  if (!messages.empty()) out.shown = content(messages.back());
  return out;
}

SampleText sample_text(const data::TrainingText& text) {
  if (text.conversation) return before_last_answer(*text.conversation);
  if (text.completion) return {{.text = text.text}, text.text, *text.completion};
  return beginning_of(text.text);
}

}  // namespace

std::vector<train::Sample> samples_of(const model_file::LanguageModelSession& session,
                                      std::span<const data::TrainingText> texts) {
  std::optional<predict::ChatFormat> chat;
  std::vector<train::Sample> out;
  for (const data::TrainingText& text : texts) {
    const SampleText sample = sample_text(text);
    if (sample.prompt.conversation && !chat) chat.emplace(session, training_date());
    predict::GenerationOptions options;
    options.max_length = kLength;
    if (text.completion || text.conversation) options.temperature = 0;
    const predict::Generator generator(session, options, chat ? &*chat : nullptr);
    Report report;
    const predict::GeneratedLine line =
        predict::predict(generator, std::span(&sample.prompt, 1), report).front();
    if (report.count(FaultKind::kNotFinite) > 0) {
      fail<NumericError>("--valid-sets", "{}", line.fault->reason);
    }
    out.push_back({.name = fmt::format("{}", out.size() + 1),
                   .text = sample_table({{"prompt", sample.shown},
                                         {"reference", sample.reference},
                                         {"model", line.texts.front().text}}),
                   .pictures = {}});
  }
  return out;
}

}  // namespace weft::tasks
