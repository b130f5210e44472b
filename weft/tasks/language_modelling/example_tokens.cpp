#include "weft/tasks/language_modelling/example_tokens.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/predict/scoring/token_texts.h"

namespace weft::tasks {
namespace {

size_t common_prefix(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

data::Conversation first_messages(const data::Conversation& conversation, size_t count) {
  data::Conversation out{.variables = conversation.variables};
  for (size_t i = 0; i < count; ++i) out.messages.push_back(conversation.messages[i]);
  return out;
}

}  // namespace

std::tm training_date() {
  std::tm out = {};
  out.tm_year = 2024 - 1900;
  out.tm_mon = 6;
  out.tm_mday = 26;
  return out;
}

ExampleTokens ExampleTokeniser::operator()(const data::TrainingText& text) {
  if (text.conversation) return of_conversation(*text.conversation);
  if (text.completion) return of_completion(text);
  ExampleTokens out{predict::tokens_of_text(session_, text.text), {}};
  out.ids.push_back(static_cast<int32_t>(session_.model.dims.end_ids.front()));
  return out;
}

ExampleTokens ExampleTokeniser::of_completion(const data::TrainingText& text) const {
  ExampleTokens out{predict::tokens_of_text(session_, text.text + *text.completion), {}};
  out.ids.push_back(static_cast<int32_t>(session_.model.dims.end_ids.front()));
  if (on_all_) return out;
  const size_t shared = common_prefix(predict::tokens_of_text(session_, text.text), out.ids);
  out.is_label.assign(out.ids.size(), true);
  std::fill_n(out.is_label.begin(), shared, false);
  return out;
}

ExampleTokens ExampleTokeniser::of_conversation(const data::Conversation& conversation) {
  if (!format_) format_.emplace(session_, training_date());
  ExampleTokens out{format_->tokens(conversation, false), {}};
  if (on_all_) return out;
  out.is_label.assign(out.ids.size(), false);
  for (size_t i = 0; i < conversation.messages.size(); ++i) {
    if (conversation.messages[i]["role"] != "assistant") continue;
    const auto before = format_->tokens(first_messages(conversation, i), true);
    const auto after = format_->tokens(first_messages(conversation, i + 1), false);
    const size_t begin = common_prefix(before, out.ids), end = common_prefix(after, out.ids);
    if (begin < before.size() || end < after.size()) continue;
    std::fill(out.is_label.begin() + static_cast<int64_t>(begin),
              out.is_label.begin() + static_cast<int64_t>(end), true);
  }
  if (std::ranges::find(out.is_label, true) == out.is_label.end()) {
    fail<FormatError>("messages",
                      "no message of the assistant that the chat template ends with; "
                      "expected one, or --loss-on all");
  }
  return out;
}

}  // namespace weft::tasks
