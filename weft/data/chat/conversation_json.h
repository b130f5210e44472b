// Conversations as lines of JSON.
#ifndef WEFT_DATA_CHAT_CONVERSATION_JSON_H_
#define WEFT_DATA_CHAT_CONVERSATION_JSON_H_

#include <string>

#include "weft/data/chat/chat_template.h"

namespace weft::data {

// Throws FormatError for text that is not JSON, is nested too deeply, or has more names than the
// parser, which compares each with the others, reads in a short time.
ChatJson parse_json_line(const std::string& text);

// An object with "messages", and "tools", "documents" and "chat_template_kwargs" where the template
// reads them. Throws FormatError, naming the field.
Conversation read_conversation(const ChatJson& object);

}  // namespace weft::data

#endif  // WEFT_DATA_CHAT_CONVERSATION_JSON_H_
