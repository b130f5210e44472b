#include "weft/core/message.h"

#include <fmt/args.h>

namespace weft {

std::string message(std::string_view text, std::initializer_list<MessageValue> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const MessageValue& value : values) {
    value.visit([&](const auto& v) { arguments.push_back(v); });
  }
  return fmt::vformat(text, arguments);
}

}  // namespace weft
