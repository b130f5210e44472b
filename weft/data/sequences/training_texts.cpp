#include "weft/data/sequences/training_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/chat/conversation_json.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

using TakeTrainingText = std::function<void(const TrainingText&, std::string_view)>;

constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user", "assistant",
                                                    "tool"};

std::string text_field(const ChatJson& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string() ||
      found->get_ref<const std::string&>().empty()) {
    fail<FormatError>(name, "expected a text that is not empty");
  }
  return found->get<std::string>();
}

void check_fields(const ChatJson& object, size_t count, std::string_view expected) {
  if (object.size() != count) fail<FormatError>("JSON", "expected {} and no other field", expected);
}

TrainingText conversation_of(const ChatJson& object) {
  TrainingText out;
  out.conversation = read_conversation(object);
  for (size_t i = 0; i < out.conversation->messages.size(); ++i) {
    const auto role = out.conversation->messages[i]["role"].get<std::string>();
    if (std::ranges::find(kRoles, role) != kRoles.end()) continue;
    fail<FormatError>("messages", "message {}: role is {}; expected {}", i + 1, quote(role),
                      fmt::format("{}", fmt::join(kRoles, ", ")));
  }
  return out;
}

void read_whole_text(const std::string& path, const TakeTrainingText& take) {
  const std::string text = read_document(path);
  if (!valid_utf8(text)) fail<FormatError>(path, "is not UTF-8; expected text");
  const std::string_view body = without_byte_order_mark(text);
  if (!body.empty()) take({.text = std::string(body)}, path);
}

void read_text_lines(const std::string& path, bool is_json, const TakeTrainingText& take) {
  TextFile file(path);
  while (file.next()) {
    const std::string where = fmt::format("{}:{}", file.path(), file.line_number());
    if (file.is_too_long()) fail<FormatError>(where, "the line is too long");
    if (!valid_utf8(file.line())) fail<FormatError>(where, "is not UTF-8; expected text");
    if (file.line().empty()) continue;
    TrainingText text{.text = std::string(file.line())};
    if (is_json) {
      try {
        text = parse_training_line(text.text);
      } catch (const FormatError& error) {
        fail<FormatError>(where, "{}", error.what());
      }
    }
    take(text, where);
  }
}

TextFormat format_of_name(std::string_view path) {
  const bool is_json = path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
  return is_json ? TextFormat::kJsonLines : TextFormat::kDocuments;
}

}  // namespace

TrainingText parse_training_line(const std::string& line) {
  const ChatJson json = parse_json_line(line);
  if (json.is_object() && json.contains("messages")) return conversation_of(json);
  if (json.is_object() && json.contains("text")) {
    check_fields(json, 1, "text");
    return {.text = text_field(json, "text")};
  }
  if (!json.is_object() || !json.contains("completion")) {
    fail<FormatError>("JSON",
                      "expected an object with text, with prompt and completion, or with "
                      "messages");
  }
  check_fields(json, 2, "prompt and completion");
  return {.text = text_field(json, "prompt"), .completion = text_field(json, "completion")};
}

void read_training_texts(const std::vector<std::string>& files, TextFormat format,
                         const TakeTrainingText& take) {
  for (const std::string& path : files) {
    const TextFormat found = format == TextFormat::kByName ? format_of_name(path) : format;
    if (found == TextFormat::kDocuments) {
      read_whole_text(path, take);
    } else {
      read_text_lines(path, found == TextFormat::kJsonLines, take);
    }
  }
}

void for_each_part(const TrainingText& text, const std::function<void(std::string_view)>& take) {
  if (!text.text.empty()) take(text.text);
  if (text.completion) take(*text.completion);
  if (!text.conversation) return;
  for (const ChatJson& message : text.conversation->messages) {
    const auto content = message.find("content");
    if (content != message.end() && content->is_string()) {
      take(content->get_ref<const std::string&>());
    }
  }
}

}  // namespace weft::data
