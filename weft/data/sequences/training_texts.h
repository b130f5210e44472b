// The texts that a language model is trained on.
#ifndef WEFT_DATA_SEQUENCES_TRAINING_TEXTS_H_
#define WEFT_DATA_SEQUENCES_TRAINING_TEXTS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/chat/chat_template.h"

namespace weft::data {

// A text, a prompt with its completion, or a conversation.
struct TrainingText {
  std::string text = {};  // where there is a completion, the prompt
  std::optional<std::string> completion = {};
  std::optional<Conversation> conversation = {};
};

// The text of a line of JSON: {"text"}, {"prompt", "completion"} or {"messages"}, in UTF-8. Throws
// FormatError, naming the field, for other fields, an empty text or completion, and an unknown
// role.
TrainingText parse_training_line(const std::string& line);

// kJsonLines: a line is an object of JSON, {"text"}, {"prompt", "completion"} or {"messages"}; the
// latter has "tools", "documents" and "chat_template_kwargs" too where the chat template reads
// them. kByName: kJsonLines for files whose names end in .jsonl or .jsonl.gz, else kDocuments.
enum class TextFormat { kByName, kDocuments, kLines, kJsonLines };

// Calls take(text, where) for each text of the files, in order: a whole file, or each of its lines
// that is not empty. Throws what reading throws, and FormatError, naming the file, the line and the
// field, for text that is not UTF-8, a line that is too long, other fields, an empty text or
// completion, and an unknown role.
void read_training_texts(
    const std::vector<std::string>& files, TextFormat format,
    const std::function<void(const TrainingText& text, std::string_view where)>& take);

// Calls take(part) for each part of the text that a vocabulary is to spell.
void for_each_part(const TrainingText& text, const std::function<void(std::string_view)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_SEQUENCES_TRAINING_TEXTS_H_
