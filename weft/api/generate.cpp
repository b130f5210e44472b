#include "weft/generate.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/api/streamed.h"
#include "weft/model_file/any_adapter.h"
#include "weft/predict/generation/dialogue.h"

namespace weft {
namespace {

using model_file::LanguageModelSession;

// The model that drafts, if one does.
std::optional<LanguageModelSession> draft_of(const predict::GenerationOptions& options,
                                             const Model& model) {
  if (!options.has_draft_model()) return std::nullopt;
  return model_file::load_any_packed<model_file::LanguageModelSession>(options.draft,
                                                                       model.loaded().precision);
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
  Generation out{.texts = {}, .prompt_tokens = line.prompt_tokens, .fault = std::move(line.fault)};
  for (predict::GeneratedText& text : line.texts) {
    out.texts.push_back(text_of(std::move(text), generator));
  }
  return out;
}

std::vector<Generation> generate(const predict::Generator& generator,
                                 const std::vector<predict::Prompt>& prompts, Report* report) {
  std::vector<Generation> out;
  out.reserve(prompts.size());
  for (predict::GeneratedLine& line : api::predict_all(generator, prompts, report)) {
    out.push_back(generation_of(std::move(line), generator));
  }
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
};

Generator::Generator(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(
          model, api::read_options<predict::GenerationOptions>(options))) {}

std::vector<Generation> Generator::generate(std::span<const std::string> prompts,
                                            Report* report) const {
  std::vector<predict::Prompt> read;
  read.reserve(prompts.size());
  for (const predict::Line& line : api::lines_of(prompts)) {
    read.push_back(predict::text_prompt(line));
  }
  return weft::generate(state_->generator, read, report);
}

std::vector<Generation> Generator::answer(std::span<const Conversation> conversations,
                                          Report* report) const {
  const predict::ChatFormat chat(state_->session, predict::local_time());
  std::vector<predict::Prompt> read;
  read.reserve(conversations.size());
  for (const Conversation& conversation : conversations) {
    data::Conversation& messages = read.emplace_back().conversation.emplace();
    for (const Message& message : conversation) messages.add(message.role, message.content);
    data::check_messages(messages.messages, "conversation");
  }
  return weft::generate(state_->generator.with(chat), read, report);
}

Generation Generator::stream(std::string_view prompt, const OnText& on_text) const {
  require_option(state_->options.samples == 1, "samples", "expected 1 in a stream");
  Report report;
  std::string heard;
  const predict::Prompt read = predict::text_prompt({.text = std::string(prompt)});
  auto found = api::streamed(on_text, heard, [&](const auto& pass) {
    return state_->generator.stream(read, report, pass);
  });
  if (found) return generation_of(std::move(*found), state_->generator);
  return {.texts = {{.text = heard, .ended = false}}};
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
  state_ = std::make_unique<State>(model, given, system);
}
Chat::~Chat() = default;
Chat::Chat(Chat&&) noexcept = default;
Chat& Chat::operator=(Chat&&) noexcept = default;

Generation Chat::say(std::string_view text, const OnText& on_text) {
  bool is_enough = false;
  const auto pass = [&](std::string_view more) {
    if (on_text && !is_enough) is_enough = !on_text(more);
  };
  predict::Dialogue::Answer answer = state_->dialogue.answer(text, pass, [&] { return is_enough; });
  Generation out{.texts = {}, .prompt_tokens = 0, .fault = std::move(answer.fault)};
  out.texts.push_back(text_of(std::move(answer.text), state_->names));
  return out;
}

void Chat::clear() { state_->dialogue.clear(); }

}  // namespace weft
