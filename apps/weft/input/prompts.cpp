#include "apps/weft/input/prompts.h"

#include <utility>

#include "weft/core/text/utf8.h"
#include "weft/data/text/text_file.h"

namespace weft::app {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;  // of a document

// Without the line break at its end.
predict::Line read_document(const std::string& input) {
  predict::Line out{.text = data::read_document(input_path(input), kMostBytes)};
  if (out.text.ends_with('\n')) out.text.pop_back();
  if (out.text.ends_with('\r')) out.text.pop_back();
  out.text = data::without_byte_order_mark(out.text);
  if (!valid_utf8(out.text)) out.fault = predict::not_utf8_fault();
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

predict::Prompt PromptSource::prompt_of(const predict::Line& line) const {
  if (options_.format == PromptFormat::kJsonLines) {
    return predict::json_prompt(line, {options_.chat, options_.system});
  }
  return options_.chat ? predict::chat_prompt(line, options_.system) : predict::text_prompt(line);
}

bool PromptSource::next(predict::Prompt& prompt) {
  if (!lines_) {
    if (!document_) return false;
    prompt = *std::exchange(document_, std::nullopt);
    return true;
  }
  predict::Line line;
  if (!lines_->next(line)) return false;
  prompt = prompt_of(line);
  return true;
}

}  // namespace weft::app
