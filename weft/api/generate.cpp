#include "weft/generate.h"

#include <algorithm>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/api/streamed.h"
#include "weft/core/text/escapes.h"
#include "weft/model_file/any_adapter.h"
#include "weft/predict/generation/dialogue.h"

namespace weft {
namespace {

using model_file::LanguageModelSession;

// The model that drafts, if one does.
std::optional<LanguageModelSession> draft_of(const predict::GenerationOptions& options,
                                             const Model& model) {
  if (!options.has_draft_model()) return std::nullopt;
  return model_file::load_any_packed<LanguageModelSession>(options.draft, model.loaded().precision);
}

const LanguageModelSession* pointer_to(const std::optional<LanguageModelSession>& session) {
  return session ? &*session : nullptr;
}

GeneratedText text_of(predict::GeneratedText found, const predict::Generator& generator) {
  GeneratedText out{.text = std::move(found.text),
                    .log_probability = found.log_probability,
                    .tokens = found.tokens,
                    .ended = found.ended,
                    .token_scores = std::move(found.token_scores)};
  for (const std::vector<decode::ScoredToken>& step : found.top_tokens) {
    std::vector<TokenProbability>& tokens = out.top_tokens.emplace_back();
    for (const auto& [log_probability, token] : step) {
      tokens.push_back({generator.token_text(token), log_probability});
    }
  }
  return out;
}

Generation generation_of(predict::GeneratedLine line, const predict::Generator& generator) {
  Generation out{.texts = {},
                 .prompt_tokens = line.prompt_tokens,
                 .written = line.written(),
                 .fault = std::move(line.fault)};
  for (predict::GeneratedText& text : line.texts) {
    out.texts.push_back(text_of(std::move(text), generator));
  }
  return out;
}

std::vector<Prompt> prompts_of(std::span<const std::string> texts) {
  std::vector<Prompt> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) out.push_back(Prompt::of_text({.text = text}));
  return out;
}

}  // namespace

struct Generator::State {
  LanguageModelSession session;
  predict::GenerationOptions options;
  std::optional<LanguageModelSession> draft;
  predict::Generator generator;

  State(const Model& model, predict::GenerationOptions given)
      : session(api::session_of<LanguageModelSession>(model)),
        options(std::move(given)),
        draft(draft_of(options, model)),
        generator(session, options, nullptr, pointer_to(draft)) {}

  predict::ChatFormat chat_format() const { return {session, predict::local_time()}; }
  // Calls run(generator) with a generator that reads these prompts.
  template <class Run>
  auto with_reader_of(std::span<const predict::Prompt> prompts, const Run& run) const {
    const bool has_conversation = std::ranges::any_of(
        prompts, [](const predict::Prompt& prompt) { return prompt.conversation.has_value(); });
    if (!has_conversation) return run(generator);
    const predict::ChatFormat chat = chat_format();
    return run(generator.with(chat));
  }
};

Prompt::Prompt() : Prompt(predict::Prompt()) {}
Prompt::Prompt(predict::Prompt read)
    : read_(std::make_shared<const predict::Prompt>(std::move(read))) {}

Prompt Prompt::of_text(const Line& line) { return Prompt(predict::text_prompt(line)); }

Prompt Prompt::of_user(const Line& line, std::string_view system) {
  return Prompt(predict::chat_prompt(line, system));
}

Prompt Prompt::of_json(const Line& line, const JsonOptions& options) {
  return Prompt(predict::json_prompt(line, {options.chat, options.system}));
}

Prompt Prompt::of_conversation(const Conversation& conversation) {
  predict::Prompt out;
  data::Conversation& messages = out.conversation.emplace();
  for (const Message& message : conversation) messages.add(message.role, message.content);
  data::check_messages(messages.messages, "conversation");
  return Prompt(std::move(out));
}

Generator::Generator(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(
          model, api::read_options<predict::GenerationOptions>(options))) {}

const OptionSchema& Generator::schema() { return api::schema_of<predict::GenerationOptions>(); }

std::vector<Generation> Generator::generate(std::span<const std::string> prompts,
                                            Report* report) const {
  return generate(prompts_of(prompts), report);
}

std::vector<Generation> Generator::generate(std::span<const Prompt> prompts, Report* report) const {
  std::vector<predict::Prompt> read;
  read.reserve(prompts.size());
  for (const Prompt& prompt : prompts) read.push_back(prompt.read());
  return state_->with_reader_of(read, [&](const predict::Generator& generator) {
    std::vector<Generation> out;
    out.reserve(read.size());
    for (predict::GeneratedLine& line : api::predict_all(generator, read, report)) {
      out.push_back(generation_of(std::move(line), generator));
    }
    return out;
  });
}

std::vector<Generation> Generator::answer(std::span<const Conversation> conversations,
                                          Report* report) const {
  std::vector<Prompt> prompts;
  prompts.reserve(conversations.size());
  for (const Conversation& one : conversations) prompts.push_back(Prompt::of_conversation(one));
  return generate(prompts, report);
}

Generation Generator::stream(std::string_view prompt, const OnText& on_text) const {
  return stream(Prompt::of_text({.text = std::string(prompt)}), on_text);
}

Generation Generator::stream(const Prompt& prompt, const OnText& on_text, Report* report) const {
  require_option(state_->options.samples == 1, "samples", "expected 1 in a stream");
  Report unread;
  std::string heard;
  return state_->with_reader_of({&prompt.read(), 1}, [&](const predict::Generator& generator) {
    auto found = api::streamed(on_text, heard, [&](const auto& pass) {
      return generator.stream(prompt.read(), report != nullptr ? *report : unread, pass);
    });
    if (found) return generation_of(std::move(*found), generator);
    return Generation{.texts = {{.text = heard, .ended = false}}, .written = escaped(heard)};
  });
}

void Generator::check_chat() const { state_->chat_format(); }

void Generator::check_constraints_used(const Report& report) const {
  state_->generator.check_constraints_used(report);
}

struct Chat::State {
  LanguageModelSession session;
  std::optional<LanguageModelSession> draft;
  predict::ChatFormat format;
  predict::Generator names;  // of tokens
  predict::Dialogue dialogue;

  State(const Model& model, const predict::GenerationOptions& options, const std::string& system)
      : session(api::session_of<LanguageModelSession>(model)),
        draft(draft_of(options, model)),
        format(session, predict::local_time()),
        names(session, options, &format, pointer_to(draft)),
        dialogue(session, options, format, system, pointer_to(draft)) {}
};

Chat::Chat(const Model& model, const Options& options, const std::string& system) {
  const auto given = api::read_options<predict::GenerationOptions>(options);
  require_option(given.samples == 1, "samples", "expected 1 in a chat");
  require_option(given.keep == 0, "keep", "expected 0 in a chat, which drops whole messages");
  state_ = std::make_unique<State>(model, given, system);
}
Chat::~Chat() = default;
Chat::Chat(Chat&&) noexcept = default;
Chat& Chat::operator=(Chat&&) noexcept = default;

Generation Chat::say(std::string_view text, const OnText& on_text,
                     const std::function<bool()>& is_stopped) {
  bool is_enough = false;
  const auto pass = [&](std::string_view more) {
    if (on_text && !is_enough) is_enough = !on_text(more);
  };
  predict::Dialogue::Answer answer = state_->dialogue.answer(
      text, pass, [&] { return is_enough || (is_stopped && is_stopped()); });
  Generation out{.texts = {}, .fault = std::move(answer.fault)};
  out.texts.push_back(text_of(std::move(answer.text), state_->names));
  out.written = escaped(out.texts.front().text);
  return out;
}

void Chat::clear() { state_->dialogue.clear(); }

int64_t Chat::forgotten() const { return state_->dialogue.forgotten(); }

}  // namespace weft
