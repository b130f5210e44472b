#include "weft/data/chat/conversation_json.h"

#include "weft/core/error.h"

namespace weft::data {
namespace {

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

}  // namespace

ChatJson parse_json_line(const std::string& text) {
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

Conversation read_conversation(const ChatJson& object) {
  check_messages(object["messages"], "messages");
  return {.messages = object["messages"], .variables = variables_of(object)};
}

}  // namespace weft::data
