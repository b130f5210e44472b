// Texts of training as tokens, and which of these have a loss.
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_EXAMPLE_TOKENS_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_EXAMPLE_TOKENS_H_

#include <cstdint>
#include <ctime>
#include <optional>
#include <vector>

#include "weft/data/sequences/training_texts.h"
#include "weft/model_file/language_model.h"
#include "weft/predict/generation/chat_format.h"

namespace weft::tasks {

// The date that chat templates may write: a training has the same tokens on every day.
std::tm training_date();

struct ExampleTokens {
  std::vector<int32_t> ids;
  std::vector<bool> is_label;  // of each id; empty: all but the first
};

// A text and a completion end with the end symbol of the model, a conversation as the chat template
// ends it. Labels are the tokens of a text; of a prompt with its completion those that the tokens
// of both together do not share with those of the prompt; of a conversation those that a template
// adds for each message of the assistant, from where it would begin to generate. A message that the
// template writes differently once others follow it has no labels.
class ExampleTokeniser {
 public:
  // `on_all`: prompts and the messages of others are labels too. The session has to outlive it.
  ExampleTokeniser(const model_file::LanguageModelSession& session, bool on_all)
      : session_(session), on_all_(on_all) {}

  // Throws OptionError for a conversation where the model has no chat template, and FormatError
  // where the template refuses it or nothing in it has a loss.
  ExampleTokens operator()(const data::TrainingText& text);

 private:
  ExampleTokens of_completion(const data::TrainingText& text) const;
  ExampleTokens of_conversation(const data::Conversation& conversation);

  const model_file::LanguageModelSession& session_;
  bool on_all_;
  std::optional<predict::ChatFormat> format_;  // from the first conversation on
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_EXAMPLE_TOKENS_H_
