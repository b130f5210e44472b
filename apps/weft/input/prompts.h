// The prompts that `weft generate` reads.
#ifndef APPS_WEFT_INPUT_PROMPTS_H_
#define APPS_WEFT_INPUT_PROMPTS_H_

#include <optional>
#include <string>

#include "apps/weft/input/lines.h"
#include "weft/generate.h"

namespace weft::app {

enum class PromptFormat { kLines, kJsonLines, kDocument };
inline constexpr const char* kPromptFormats = "auto|lines|jsonl|document";
// By its name; "auto" is JSON lines for a file that is called so.
PromptFormat prompt_format(const std::string& name, const std::string& input);

struct PromptOptions {
  PromptFormat format = PromptFormat::kLines;
  bool chat = false;        // a text is what a user says
  std::string system = {};  // what the system says before it
};

// Prompts of a file, or of standard input as they come: a line each, or the whole file.
class PromptSource {
 public:
  using Item = Prompt;

  PromptSource(const std::string& input, PromptOptions options);

  // False where there is no more prompt.
  bool next(Prompt& prompt);
  // Whether next() would return without waiting.
  bool is_ready() { return !lines_ || lines_->is_ready(); }

 private:
  Prompt prompt_of(const Line& line) const;

  PromptOptions options_;
  std::optional<LineSource> lines_;
  std::optional<Prompt> document_;
};

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_PROMPTS_H_
