// Conversations as texts, by the chat template of a model.
#ifndef WEFT_DATA_CHAT_CHAT_TEMPLATE_H_
#define WEFT_DATA_CHAT_CHAT_TEMPLATE_H_

#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "weft/data/chat/chat_templates.h"
#include "weft/data/jinja/jinja_template.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {

using ChatJson = nlohmann::ordered_json;

// A list of messages, objects with "role" and "content", and other variables of templates, such as
// "tools": an object.
struct Conversation {
  ChatJson messages = ChatJson::array();
  ChatJson variables = ChatJson::object();

  void add(std::string_view role, std::string_view content);
};

// Throws FormatError, prefixed with `where`, unless it is a list of one message at least, each with
// a role, and a content that is a text, a list of objects, or missing.
void check_messages(const ChatJson& messages, std::string_view where);

class ChatTemplate {
 public:
  // Throws FormatError, with the line and the column, for templates that cannot be parsed, and
  // where there is none. The tokeniser's special tokens are variables, such as bos_token.
  ChatTemplate(const ChatTemplates& templates, const Tokeniser& tokeniser);

  // As apply_chat_template() of Transformers. Texts of the conversation are marked as typed by a
  // user. With `add_generation_prompt` the text ends where the assistant begins to answer. Throws
  // FormatError where the template refuses the conversation.
  jinja::MarkedText render(const Conversation& conversation, bool add_generation_prompt,
                           const std::tm& now) const;

 private:
  jinja::Template plain_;
  std::optional<jinja::Template> with_tools_;  // of its own
  ChatJson tokens_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_CHAT_CHAT_TEMPLATE_H_
