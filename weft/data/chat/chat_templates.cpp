#include "weft/data/chat/chat_templates.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "weft/core/error.h"

namespace weft::data {

const std::string* ChatTemplates::find(std::string_view name) const {
  const auto found = std::ranges::find(
      by_name, name, [](const auto& each) -> std::string_view { return each.first; });
  return found == by_name.end() ? nullptr : &found->second;
}

void ChatTemplates::set(std::string_view name, std::string_view text) {
  const auto found = std::ranges::find(
      by_name, name, [](const auto& each) -> std::string_view { return each.first; });
  if (found == by_name.end()) {
    by_name.emplace_back(name, text);
  } else {
    found->second = text;
  }
}

std::string ChatTemplates::serialise() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, text] : by_name) out[name] = text;
  return out.dump();
}

ChatTemplates read_chat_templates(std::string_view bytes, std::string_view where) {
  const auto json = nlohmann::ordered_json::parse(bytes, nullptr, false);
  if (!json.is_object()) fail<FormatError>(where, "expected an object of chat templates");
  ChatTemplates out{.by_name = {}, .where = std::string(where)};
  for (const auto& [name, text] : json.items()) {
    if (!text.is_string()) fail<FormatError>(where, "template {} is no text", quote(name));
    out.by_name.emplace_back(name, text.get<std::string>());
  }
  return out;
}

}  // namespace weft::data
