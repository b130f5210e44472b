// Continuations of prompts, and conversations, by a language model.
#ifndef WEFT_GENERATE_H_
#define WEFT_GENERATE_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"
#include "weft/stream.h"

namespace weft {

namespace predict {
struct Prompt;
}

struct TokenProbability {
  std::string token;
  double log_probability = 0;
};
// What is added to a prompt.
struct GeneratedText {
  std::string text;                       // without what ended it
  double log_probability = 0;             // of its tokens, and of the end symbol, if any
  int64_t tokens = 0;                     // end symbol included
  bool ended = true;                      // false: cut off at `max-length`, or by the caller
  std::vector<double> token_scores = {};  // log p of each token, with `word-scores`
  // The most probable tokens in the place of each, with `top-logprobs`.
  std::vector<std::vector<TokenProbability>> top_tokens = {};
};
struct Generation {
  std::vector<GeneratedText> texts;  // one, or `samples`; empty ones with a fault
  int64_t prompt_tokens = 0;
  // As `weft generate` writes it, without its last line break: a line for each text, with \n for a
  // line break in it, and what `word-scores` adds.
  std::string written = {};
  std::optional<Fault> fault = {};  // why there is no text
};

// A message of a conversation.
struct Message {
  std::string role;  // "system", "user", "assistant"
  std::string content;
};
using Conversation = std::vector<Message>;

// What a language model continues: a text, or a conversation that the assistant answers.
class WEFT_API Prompt {
 public:
  Prompt();  // an empty text

  // The line itself.
  static Prompt of_text(const Line& line);
  // A conversation: the system message `system`, unless empty, then the line as a user message.
  static Prompt of_user(const Line& line, std::string_view system = {});
  // The line is JSON: {"prompt": text}; {"messages": [...]}, with "tools", "documents" and
  // "chat_template_kwargs" if the chat template reads them; or the list of messages alone. With
  // `chat` the text of "prompt" becomes a user message. `system`, unless empty, becomes the first
  // message of a conversation that does not begin with a system message. A line of any other form
  // gives a prompt with a fault.
  struct JsonOptions {
    bool chat = false;
    std::string system = {};
  };
  static Prompt of_json(const Line& line, const JsonOptions& options);
  // Throws FormatError for a conversation without messages. The chat template of the model decides
  // which roles there are and in what order; a conversation that it refuses gets a fault.
  static Prompt of_conversation(const Conversation& conversation);

  const predict::Prompt& read() const { return *read_; }  // for the library itself

 private:
  explicit Prompt(predict::Prompt read);

  std::shared_ptr<const predict::Prompt> read_;
};

// Options: those of `weft generate` for sampling and search.
class WEFT_API Generator {
 public:
  // Throws OptionError for a model of another kind.
  explicit Generator(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each prompt, in order.
  std::vector<Generation> generate(std::span<const std::string> prompts,
                                   Report* report = nullptr) const;
  std::vector<Generation> generate(std::span<const Prompt> prompts, Report* report = nullptr) const;
  // Of texts in braces: generate({"a", "b"}).
  std::vector<Generation> generate(std::initializer_list<std::string> texts,
                                   Report* report = nullptr) const {
    return generate(std::span(texts.begin(), texts.size()), report);
  }
  Generation generate(const std::string& prompt) const {
    return std::move(generate(std::span(&prompt, 1)).front());
  }
  // The assistant's answer to each conversation, by the model's chat template.
  std::vector<Generation> answer(std::span<const Conversation> conversations,
                                 Report* report = nullptr) const;
  // Passes one continuation on as it is decided. Requires one sample.
  Generation stream(std::string_view prompt, const OnText& on_text) const;
  Generation stream(const Prompt& prompt, const OnText& on_text, Report* report = nullptr) const;
  // Throws OptionError for a model without a chat template, FormatError for one that is damaged.
  void check_chat() const;
  // Throws FormatError unless there were as many prompts as `constraints` has lines of phrases.
  void check_constraints_used(const Report& report) const;

 private:
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

  // Returns the assistant's answer to `text`. `is_stopped` is called between tokens and ends the
  // answer if it returns true; `on_text` ends the answer if it returns false. The text generated
  // until then stays part of the conversation. If the result has a fault, the conversation is
  // unchanged.
  Generation say(std::string_view text, const OnText& on_text = {},
                 const std::function<bool()>& is_stopped = {});
  // Removes all messages except the system message.
  void clear();
  // The number of exchanges of a user and the assistant that the option context-shift has removed
  // since clear(). It removes the oldest ones where the context has no space for all and an answer.
  int64_t forgotten() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft

#endif  // WEFT_GENERATE_H_
