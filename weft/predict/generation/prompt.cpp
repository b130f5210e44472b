#include "weft/predict/generation/prompt.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::predict {
namespace {

using data::ChatJson;
using data::Conversation;

// Throws FormatError for what is no JSON, too deep, or of so many names that the parser, which
// compares each with the others, would take long.
ChatJson parsed_json(const std::string& text) {
  constexpr int kMostLevels = 64, kMostNames = 20'000;
  int names = 0;
  const auto check = [&](int depth, ChatJson::parse_event_t event, const ChatJson&) {
    names += event == ChatJson::parse_event_t::key ? 1 : 0;
    if (depth > kMostLevels) fail<FormatError>("JSON", "more than {} levels", kMostLevels);
    if (names > kMostNames) fail<FormatError>("JSON", "more than {} names", kMostNames);
    return true;
  };
  try {
    return ChatJson::parse(text, check);
  } catch (const ChatJson::parse_error& error) {
    fail<FormatError>("JSON", "no JSON at byte {}", error.byte);
  } catch (const ChatJson::out_of_range&) {
    fail<FormatError>("JSON", "a number is too large; expected one of 64 bits");
  }
}

// What a conversation has beside messages.
ChatJson variables_of(const ChatJson& object) {
  ChatJson out = ChatJson::object();
  for (const auto& [name, value] : object.items()) {
    if (name == "tools" || name == "documents") {
      if (!value.is_array() && !value.is_null()) fail<FormatError>(name, "expected a list");
      out[name] = value;
    } else if (name == "chat_template_kwargs") {
      if (!value.is_object()) fail<FormatError>(name, "expected an object");
      for (const auto& [key, variable] : value.items()) out[key] = variable;
    } else if (name != "messages") {
      fail<FormatError>("JSON", "field {} is not supported; expected {}", quote(name),
                        "messages, tools, documents or chat_template_kwargs");
    }
  }
  return out;
}

void add_system(std::string_view system, Conversation& to) {
  if (system.empty() || (!to.messages.empty() && to.messages.front()["role"] == "system")) return;
  to.messages.insert(to.messages.begin(), ChatJson{{"role", "system"}, {"content", system}});
}

Prompt read_json_prompt(const Line& line, const JsonPromptOptions& options) {
  ChatJson json = parsed_json(line.text);
  if (json.is_array()) json = {{"messages", std::move(json)}};
  const bool has_text = json.is_object() && json.contains("prompt");
  const bool has_messages = json.is_object() && json.contains("messages");
  if (has_text == has_messages) {
    fail<FormatError>("JSON", "expected an object with prompt or messages, one of them, or a list");
  }
  if (has_text) {
    if (json.size() != 1 || !json["prompt"].is_string()) {
      fail<FormatError>("JSON", "expected nothing but prompt, a text");
    }
    const Line text{.text = json["prompt"].get<std::string>()};
    return options.chat ? chat_prompt(text, options.system) : text_prompt(text);
  }
  data::check_messages(json["messages"], "messages");
  Conversation conversation{.messages = json["messages"], .variables = variables_of(json)};
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
