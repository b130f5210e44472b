#include "weft/model_file/contents.h"

#include <utility>

#include "weft/core/error.h"

namespace weft::model_file {
namespace {

// The command that uses models of a kind.
std::string_view command_of(std::string_view kind) {
  constexpr std::pair<std::string_view, std::string_view> kCommands[] = {
      {"seq2seq", "translate"},
      {"classifier", "classify"},
      {"embedder", "embed"},
      {"masked-lm", "fill"},
      {"tagger", "tag"},
      {"transcriber", "transcribe"},
      {"detector", "detect"},
      {"cross-view", "complete"},
      {"language-model", "generate"},
      {"adapter", "generate --lora, beside its model"}};
  for (const auto& [known, command] : kCommands) {
    if (known == kind) return command;
  }
  return {};
}

}  // namespace

void ContentsReader::check_kind(std::string_view kind) const {
  // Without a kind, parsing the options reports the error.
  if (kind_.empty() || kind_ == kind) return;
  const std::string_view command = command_of(kind_);
  fail<FormatError>(path_, "is a model of type '{}'; expected {}{}{}", kind_, kind,
                    command.empty() ? "" : "; hint: it is for weft ", command);
}

}  // namespace weft::model_file
