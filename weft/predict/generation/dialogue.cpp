#include "weft/predict/generation/dialogue.h"

#include <algorithm>
#include <exception>

#include "weft/core/error.h"
#include "weft/decode/step_models.h"

namespace weft::predict {
namespace {

// Removes the first user's message and what follows until the next one. Returns whether there is a
// next one.
bool remove_exchange(data::Conversation& conversation) {
  data::ChatJson& messages = conversation.messages;
  const auto is_user = [](const data::ChatJson& message) { return message["role"] == "user"; };
  const auto first = std::find_if(messages.begin(), messages.end(), is_user);
  if (first == messages.end()) return false;
  const auto next = std::find_if(first + 1, messages.end(), is_user);
  if (next == messages.end()) return false;
  messages.erase(first, next);
  return true;
}

}  // namespace

// Passes on the text of an answer as it grows.
class Dialogue::TextSink {
 public:
  using OnText = std::function<void(std::string_view)>;

  TextSink(Continuation continuation, std::span<const std::string> stop, const OnText& on_text)
      : continuation_(std::move(continuation)), stop_(stop), on_text_(on_text) {}

  const Continuation& continuation() const { return continuation_; }
  const std::string& passed() const { return passed_; }

  void decide(std::span<const int32_t> tokens) {
    const std::string text = continuation_(tokens);
    std::string_view known = std::string_view(text).substr(0, length_before_stop(text, stop_));
    // What may be the beginning of a character.
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
    while (known.ends_with(kReplacement)) known.remove_suffix(kReplacement.size());
    pass(known);
  }
  void pass(std::string_view text) {
    if (text.size() <= passed_.size()) return;
    on_text_(text.substr(passed_.size()));
    passed_ = text;
  }

 private:
  Continuation continuation_;
  std::span<const std::string> stop_;
  const OnText& on_text_;
  std::string passed_;
};

Dialogue::Dialogue(const model_file::LanguageModelSession& session,
                   const GenerationOptions& options, const ChatFormat& chat, std::string system,
                   const model_file::LanguageModelSession* draft)
    : session_(&session),
      chat_(&chat),
      system_(std::move(system)),
      stop_(options.stop),
      shifts_(options.context_shift),
      generator_(session, options, &chat, draft),
      steps_(decode::decoder_steps(session.model, options.cache.type())),
      drafter_(generator_.drafter()),
      engine_(steps_, {.slots = 1, .drafter = drafter_.get()}) {
  clear();
}

Dialogue::~Dialogue() = default;

void Dialogue::clear() {
  conversation_ = {};
  if (!system_.empty()) conversation_.add("system", system_);
  forgotten_ = 0;
  if (kept_) engine_.cancel(*kept_);
  kept_.reset();
}

void Dialogue::keep(decode::RequestId id) {
  if (kept_) engine_.cancel(*kept_);
  kept_ = id;
}

Dialogue::Answer Dialogue::run(decode::Request request, TextSink& text,
                               const std::function<bool()>& is_stopped) {
  request.streams = request.keeps_rows = true;
  const decode::RequestId id = engine_.submit(std::move(request));
  while (!is_stopped()) {
    for (decode::RequestOutput& output : engine_.step()) {
      if (output.error) std::rethrow_exception(output.error);
      text.decide(output.stable_prefix);
      if (!output.is_finished) continue;
      keep(id);
      return {.text = generated_text(output.hypotheses.front(), text.continuation()),
              .cached_tokens = output.cached_tokens};
    }
  }
  if (engine_.keep(id)) {
    keep(id);
  } else {
    engine_.cancel(id);  // it has not begun
  }
  return {.text = {.text = text.passed(), .ended = false}, .is_stopped = true};
}

std::vector<int32_t> Dialogue::prompt_of(data::Conversation& conversation,
                                         int64_t& forgotten) const {
  const int64_t context = session_->model.options.capacity(), half = context / 2;
  std::vector<int32_t> out = chat_->tokens(conversation);
  const int64_t room = std::min(generator_.length_limit(std::ssize(out)), half);
  if (!shifts_ || std::ssize(out) + room <= context) return out;
  while (std::ssize(out) > half && remove_exchange(conversation)) {
    ++forgotten;
    out = chat_->tokens(conversation);
  }
  return out;
}

Dialogue::Answer Dialogue::answer(std::string_view user,
                                  const std::function<void(std::string_view)>& on_text,
                                  const std::function<bool()>& is_stopped) {
  data::Conversation next = conversation_;
  next.add("user", user);
  const auto fault = [](FaultKind kind, std::string reason) {
    return Answer{.fault = Fault{kind, std::move(reason)}};
  };
  int64_t forgotten = forgotten_;
  std::vector<int32_t> tokens;
  try {
    tokens = prompt_of(next, forgotten);
  } catch (const FormatError& error) {
    return fault(FaultKind::kUnreadable, error.what());
  }
  if (std::optional<Fault> found = generator_.fault_of(std::ssize(tokens))) {
    return Answer{.fault = std::move(found)};
  }
  decode::Request request = generator_.request_of(std::move(tokens), true);
  if (shifts_) {  // an answer ends where the context is full
    const int64_t left = session_->model.options.capacity() - std::ssize(request.prompt);
    request.length_limit = std::min(request.length_limit, left);
    request.min_length = std::min(request.min_length, left);
  }
  TextSink text(Continuation(*session_->tokeniser, request.prompt), stop_, on_text);
  Answer out;
  try {
    out = run(std::move(request), text, is_stopped);
  } catch (const NumericError&) {
    return {.fault = not_finite_fault()};
  }
  text.pass(out.text.text);
  next.add("assistant", out.text.text);
  conversation_ = std::move(next);
  forgotten_ = forgotten;
  return out;
}

}  // namespace weft::predict
