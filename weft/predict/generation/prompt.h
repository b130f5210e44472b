// What a language model continues.
#ifndef WEFT_PREDICT_GENERATION_PROMPT_H_
#define WEFT_PREDICT_GENERATION_PROMPT_H_

#include <optional>
#include <string>
#include <string_view>

#include "weft/data/chat/chat_template.h"
#include "weft/predict/line.h"

namespace weft::predict {

// A text, or a conversation that the assistant answers.
struct Prompt {
  std::string text = {};
  std::optional<data::Conversation> conversation = {};
  std::optional<Fault> fault = {};  // why it cannot be used
};

// The line itself.
Prompt text_prompt(const Line& line);
// The line as what a user says, after what the system says, if anything.
Prompt chat_prompt(const Line& line, std::string_view system);
// A line of JSON: {"prompt": text}, {"messages": [...]} with "tools", "documents" and
// "chat_template_kwargs" where the template reads them, or the list of messages. With `chat` the
// text of a prompt is what a user says. `system` begins a conversation that has no such message.
// What is no such line is a fault.
struct JsonPromptOptions {
  bool chat = false;
  std::string system = {};
};
Prompt json_prompt(const Line& line, const JsonPromptOptions& options);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_PROMPT_H_
