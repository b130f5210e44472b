#include "weft/predict/generation/prompt.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/chat/conversation_json.h"

namespace weft::predict {
namespace {

using data::ChatJson;
using data::Conversation;

void add_system(std::string_view system, Conversation& to) {
  if (system.empty() || (!to.messages.empty() && to.messages.front()["role"] == "system")) return;
  to.messages.insert(to.messages.begin(), ChatJson{{"role", "system"}, {"content", system}});
}

Prompt read_json_prompt(const Line& line, const JsonPromptOptions& options) {
  ChatJson json = data::parse_json_line(line.text);
  if (json.is_array()) json = {{"messages", std::move(json)}};
  const bool has_text = json.is_object() && json.contains("prompt");
  const bool has_messages = json.is_object() && json.contains("messages");
  if (has_text == has_messages) {
    fail<FormatError>("JSON", "expected an object with prompt or messages, one of them, or a list");
  }
  if (has_text) {
    json.erase("completion");  // of training text: what is wanted
    if (json.size() != 1 || !json["prompt"].is_string()) {
      fail<FormatError>("JSON", "expected nothing but prompt, a text, and completion");
    }
    const Line text{.text = json["prompt"].get<std::string>()};
    return options.chat ? chat_prompt(text, options.system) : text_prompt(text);
  }
  Conversation conversation = data::read_conversation(json);
  add_system(options.system, conversation);
  return {.conversation = std::move(conversation)};
}

}  // namespace

Prompt text_prompt(const Line& line) { return {.text = line.text, .fault = fault_of_text(line)}; }

Prompt chat_prompt(const Line& line, std::string_view system) {
  Prompt out{.fault = fault_of_text(line)};
  if (out.fault) return out;
  if (line.text.empty()) return {.fault = Fault{FaultKind::kEmpty, "no text"}};
  out.conversation.emplace();
  out.conversation->add("user", line.text);
  add_system(system, *out.conversation);
  return out;
}

Prompt json_prompt(const Line& line, const JsonPromptOptions& options) {
  if (const std::optional<Fault> fault = fault_of_text(line)) return {.fault = fault};
  if (std::ranges::all_of(line.text, [](char c) { return c == ' ' || c == '\t'; })) {
    return {.fault = Fault{FaultKind::kEmpty, "no text"}};
  }
  try {
    return read_json_prompt(line, options);
  } catch (const FormatError& error) {
    return {.fault = Fault{FaultKind::kUnreadable, error.what()}};
  }
}

}  // namespace weft::predict
