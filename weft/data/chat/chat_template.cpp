#include "weft/data/chat/chat_template.h"

#include "weft/core/error.h"

namespace weft::data {
namespace {

constexpr std::string_view kWithTools = "tool_use";

const std::string& default_template(const ChatTemplates& templates) {
  const std::string* found = templates.find(kDefaultChatTemplate);
  if (found == nullptr && templates.by_name.size() == 1) found = &templates.by_name.front().second;
  if (found != nullptr) return *found;
  if (templates.empty()) {
    fail<FormatError>(templates.where, "the model has no chat template; expected one in its files");
  }
  fail<FormatError>(templates.where, "no template is named '{}'", kDefaultChatTemplate);
}

ChatJson special_tokens(const Tokeniser& tokeniser) {
  ChatJson out = ChatJson::object();
  const std::pair<const char*, int32_t> tokens[] = {{"bos_token", tokeniser.begin_id()},
                                                    {"eos_token", tokeniser.end_id()},
                                                    {"unk_token", tokeniser.unknown_id()}};
  for (const auto& [name, id] : tokens) {
    if (id >= 0) out[name] = tokeniser.piece(id);
  }
  return out;
}

// Drops fields that are null. Templates read the reasoning of an assistant by one of several names:
// it is given by two.
ChatJson normalised_message(const ChatJson& message) {
  ChatJson out = ChatJson::object();
  const ChatJson* thoughts = nullptr;
  for (const char* name : {"reasoning_content", "thinking", "reasoning"}) {
    const auto found = message.find(name);
    if (thoughts == nullptr && found != message.end() && !found->is_null()) thoughts = &*found;
  }
  if (thoughts != nullptr) out["thinking"] = *thoughts;
  for (const auto& [name, value] : message.items()) {
    if (!value.is_null()) out[name] = value;
  }
  if (thoughts != nullptr) out["reasoning_content"] = *thoughts;
  return out;
}

}  // namespace

void Conversation::add(std::string_view role, std::string_view content) {
  messages.push_back({{"role", role}, {"content", content}});
}

void check_messages(const ChatJson& messages, std::string_view where) {
  if (!messages.is_array() || messages.empty()) {
    fail<FormatError>(where, "expected a list of messages");
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    const ChatJson& message = messages[i];
    const auto is_text = [&](const char* name) {
      return message.contains(name) && message[name].is_string();
    };
    if (!message.is_object() || !is_text("role")) {
      fail<FormatError>(where, "message {}: expected an object with a role", i + 1);
    }
    if (!message.contains("content") || is_text("content") || message["content"].is_null())
      continue;
    const ChatJson& content = message["content"];
    bool is_list = content.is_array();
    for (const ChatJson& part : content) is_list = is_list && part.is_object();
    if (!is_list) {
      fail<FormatError>(where, "message {}: content: expected a text or a list of objects", i + 1);
    }
  }
}

ChatTemplate::ChatTemplate(const ChatTemplates& templates, const Tokeniser& tokeniser)
    : plain_(default_template(templates), templates.where), tokens_(special_tokens(tokeniser)) {
  const std::string* with_tools = templates.find(kWithTools);
  if (with_tools == nullptr) return;
  with_tools_.emplace(*with_tools, templates.where + " '" + std::string(kWithTools) + "'");
}

jinja::MarkedText ChatTemplate::render(const Conversation& conversation, bool add_generation_prompt,
                                       const std::tm& now) const {
  ChatJson user = {{"tools", nullptr}, {"documents", nullptr}};
  user.update(conversation.variables);
  user["messages"] = ChatJson::array();
  for (const ChatJson& message : conversation.messages) {
    user["messages"].push_back(normalised_message(message));
  }
  user["add_generation_prompt"] = add_generation_prompt;
  const bool has_tools = !user["tools"].is_null();
  const jinja::Template& used = has_tools && with_tools_ ? *with_tools_ : plain_;
  return used.render({user, tokens_}, now);
}

}  // namespace weft::data
