#include "weft/predict/generation/chat_format.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::predict {
namespace {

const data::SubwordTokeniser& chat_tokeniser(const model_file::LanguageModelSession& session) {
  if (session.chat_templates.empty()) {
    fail<OptionError>("chat", "the model has no chat template; expected a model made for chat");
  }
  const auto* found = dynamic_cast<const data::SubwordTokeniser*>(session.tokeniser.get());
  if (found == nullptr) {
    fail<OptionError>("chat", "a tokeniser of kind '{}' finds no special tokens in a text",
                      session.tokeniser->kind());
  }
  return *found;
}

}  // namespace

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm out{};
  localtime_r(&now, &out);
  return out;
}

ChatFormat::ChatFormat(const model_file::LanguageModelSession& session, const std::tm& now)
    : tokeniser_(&chat_tokeniser(session)),
      template_(session.chat_templates, *tokeniser_),
      now_(now) {
  find_end();
}

std::vector<int32_t> ChatFormat::tokens(const data::Conversation& conversation,
                                        bool add_generation_prompt) const {
  const data::jinja::MarkedText text = template_.render(conversation, add_generation_prompt, now_);
  return tokeniser_->encode(text.text(), {.parse_special = true, .typed = text.typed()}).ids;
}

// The special token that follows an answer.
void ChatFormat::find_end() {
  constexpr std::string_view kAnswer = "answer";
  data::Conversation sample;
  sample.add("user", "question");
  sample.add("assistant", kAnswer);
  std::string text;
  try {
    text = template_.render(sample, false, now_).text();
  } catch (const FormatError&) {  // a template that wants other conversations
    return;
  }
  const size_t begin = text.rfind(kAnswer);
  if (begin == text.npos) return;
  const std::string_view rest = std::string_view(text).substr(begin + kAnswer.size());
  const std::vector<int32_t> after = tokeniser_->encode(rest, {.parse_special = true}).ids;
  const auto end =
      std::ranges::find_if(after, [&](int32_t id) { return tokeniser_->is_special(id); });
  if (end != after.end()) end_ids_.push_back(*end);
}

}  // namespace weft::predict
