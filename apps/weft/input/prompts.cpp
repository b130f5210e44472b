#include "apps/weft/input/prompts.h"

#include <utility>

#include "weft/data/text/text_file.h"

namespace weft::app {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;  // of a document

// Without the line break at its end.
Line read_document(const std::string& input) {
  Line out{.text = data::read_document(input_path(input), kMostBytes)};
  if (out.text.ends_with('\n')) out.text.pop_back();
  if (out.text.ends_with('\r')) out.text.pop_back();
  out.text = data::without_byte_order_mark(out.text);
  return out;
}

}  // namespace

PromptFormat prompt_format(const std::string& name, const std::string& input) {
  if (name == "lines") return PromptFormat::kLines;
  if (name == "document") return PromptFormat::kDocument;
  const bool is_json = name == "jsonl" || input.ends_with(".jsonl") || input.ends_with(".jsonl.gz");
  return is_json ? PromptFormat::kJsonLines : PromptFormat::kLines;
}

PromptSource::PromptSource(const std::string& input, PromptOptions options)
    : options_(std::move(options)) {
  if (options_.format == PromptFormat::kDocument) {
    document_ = prompt_of(read_document(input));
  } else {
    lines_.emplace(input);
  }
}

Prompt PromptSource::prompt_of(const Line& line) const {
  if (options_.format == PromptFormat::kJsonLines) {
    return Prompt::of_json(line, {options_.chat, options_.system});
  }
  return options_.chat ? Prompt::of_user(line, options_.system) : Prompt::of_text(line);
}

bool PromptSource::next(Prompt& prompt) {
  if (!lines_) {
    if (!document_) return false;
    prompt = *std::exchange(document_, std::nullopt);
    return true;
  }
  Line line;
  if (!lines_->next(line)) return false;
  prompt = prompt_of(line);
  return true;
}

}  // namespace weft::app
