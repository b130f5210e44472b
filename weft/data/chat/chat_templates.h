// The chat templates of a model by their names, as its files hold them: they are not parsed before
// a conversation is rendered.
#ifndef WEFT_DATA_CHAT_CHAT_TEMPLATES_H_
#define WEFT_DATA_CHAT_CHAT_TEMPLATES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::data {

inline constexpr std::string_view kDefaultChatTemplate = "default";

struct ChatTemplates {
  std::vector<std::pair<std::string, std::string>> by_name = {};  // "default", "tool_use", ...
  std::string where = {};                                         // prefixes errors about them

  bool empty() const { return by_name.empty(); }
  const std::string* find(std::string_view name) const;  // null: there is none
  // Adds a template or replaces the one of this name.
  void set(std::string_view name, std::string_view text);

  // An object of JSON, which read_chat_templates() reads.
  std::string serialise() const;
};

// Throws FormatError, prefixed with `where`.
ChatTemplates read_chat_templates(std::string_view bytes, std::string_view where);

}  // namespace weft::data

#endif  // WEFT_DATA_CHAT_CHAT_TEMPLATES_H_
