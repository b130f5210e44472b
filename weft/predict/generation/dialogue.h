// A conversation turn by turn, whose tokens stay in the cache of an engine.
#ifndef WEFT_PREDICT_GENERATION_DIALOGUE_H_
#define WEFT_PREDICT_GENERATION_DIALOGUE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/decode/decoder_steps.h"
#include "weft/decode/engine.h"
#include "weft/predict/generation/generator.h"

namespace weft::predict {

class Dialogue {
 public:
  // All have to outlive it; `system` is what the system says first, if anything, and `draft` as of
  // Generator. Requires one sample.
  Dialogue(const model_file::LanguageModelSession& session, const GenerationOptions& options,
           const ChatFormat& chat, std::string system,
           const model_file::LanguageModelSession* draft = nullptr);
  ~Dialogue();

  struct Answer {
    GeneratedText text = {};
    int64_t cached_tokens = 0;        // of the prompt, which had been read
    bool is_stopped = false;          // by `is_stopped`
    std::optional<Fault> fault = {};  // then there is no text
  };
  // What the assistant answers. `on_text` receives whole characters as soon as they are decided.
  // Between tokens `is_stopped` may end the answer; what was said until then stays part of the
  // conversation. With a fault the conversation is as before.
  Answer answer(std::string_view user, const std::function<void(std::string_view)>& on_text,
                const std::function<bool()>& is_stopped);
  // Forgets all but the system's message.
  void clear();
  // The number of exchanges of a user and the assistant that --context-shift has dropped since
  // clear(). It drops the oldest ones, until the prompt takes at most half of the context, where
  // the context has no space for the prompt and an answer. An answer counts as length_limit()
  // tokens, but as half of the context at most.
  int64_t forgotten() const { return forgotten_; }

 private:
  class TextSink;

  // The prompt of a conversation. Drops exchanges of the conversation and adds their number.
  std::vector<int32_t> prompt_of(data::Conversation& conversation, int64_t& forgotten) const;
  // Keeps the rows of this turn in the cache until the next one, in place of those of the last.
  void keep(decode::RequestId id);
  Answer run(decode::Request request, TextSink& text, const std::function<bool()>& is_stopped);

  const model_file::LanguageModelSession* session_;
  const ChatFormat* chat_;
  std::string system_;
  std::vector<std::string> stop_;
  bool shifts_;  // --context-shift
  Generator generator_;
  data::Conversation conversation_;
  int64_t forgotten_ = 0;
  decode::DecoderSteps steps_;
  std::unique_ptr<decode::Drafter> drafter_;
  decode::Engine engine_;
  std::optional<decode::RequestId> kept_;  // the request of the last answer
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_DIALOGUE_H_
