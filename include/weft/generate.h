// Continuations of prompts, and conversations, by a language model.
#ifndef WEFT_GENERATE_H_
#define WEFT_GENERATE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"
#include "weft/stream.h"

namespace weft {

struct TokenProbability {
  std::string token;
  double log_probability = 0;
};
// What is added to a prompt.
struct GeneratedText {
  std::string text;                       // without what ended it
  double log_probability = 0;             // of its tokens, and of the end symbol, if any
  int64_t tokens = 0;                     // end symbol included
  bool ended = true;                      // false: cut off at `max-length`
  std::vector<double> token_scores = {};  // log p of each token, with `word-scores`
  // The most probable tokens in the place of each, with `top-logprobs`.
  std::vector<std::vector<TokenProbability>> top_tokens = {};
};
struct Generation {
  std::vector<GeneratedText> texts;  // one, or `samples`; empty ones with a fault
  int64_t prompt_tokens = 0;
  std::optional<Fault> fault = {};  // why there is no text
};

// A message of a conversation.
struct Message {
  std::string role;  // "system", "user", "assistant"
  std::string content;
};
using Conversation = std::vector<Message>;

// Options: those of `weft generate` for sampling and search.
class WEFT_API Generator {
 public:
  // Throws OptionError for a model of another kind.
  explicit Generator(const Model& model, const Options& options = {});

  // One result for each prompt, in order.
  std::vector<Generation> generate(std::span<const std::string> prompts,
                                   Report* report = nullptr) const;
  Generation generate(const std::string& prompt) const {
    return std::move(generate(std::span(&prompt, 1)).front());
  }
  // The assistant's answer to each conversation, by the model's chat template.
  std::vector<Generation> answer(std::span<const Conversation> conversations,
                                 Report* report = nullptr) const;
  // Passes one continuation on as it is decided. Requires one sample.
  Generation stream(std::string_view prompt, const OnText& on_text) const;

 private:
  friend class Chat;
  struct State;
  std::shared_ptr<const State> state_;
};

// A conversation turn by turn, whose tokens stay in the cache. Not for several threads at once.
class WEFT_API Chat {
 public:
  // `system` is what the system says first, if anything. Throws OptionError for a model without a
  // chat template.
  explicit Chat(const Model& model, const Options& options = {}, const std::string& system = {});
  ~Chat();
  Chat(Chat&&) noexcept;
  Chat& operator=(Chat&&) noexcept;

  // What the assistant answers. What was said until `on_text` ended it stays part of the
  // conversation; with a fault the conversation is as before.
  Generation say(std::string_view text, const OnText& on_text = {});
  // Forgets all but what the system said.
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft

#endif  // WEFT_GENERATE_H_
