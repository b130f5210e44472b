// weft generate: continues prompts by a language model, and answers conversations.

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/prompts.h"
#include "apps/weft/interactive.h"
#include "apps/weft/language_model_options.h"
#include "weft/predict/generation/generator.h"

namespace weft::app {
namespace {

using OutputJson = nlohmann::ordered_json;

struct GenerateOptions {
  LanguageModelOptions model;
  std::string input{kStandardInput};
  std::string format = "auto";
  bool chat = false;
  std::string system;
  bool interactive = false;
  std::string output{kStandardOutput};
  bool json = false;
  bool stream = false;
  predict::GenerationOptions generation;

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    model.fields(v, "model file, folder of Hugging Face Transformers, or GGUF file");
    v("input", input,
      {.help = "prompts, one a line, plain or .gz, or - or stdin", .letter = 'i', .reads = true});
    v("format", format,
      {.help = "of the input; lines: a prompt each; jsonl: objects with prompt or messages; "
               "document: all of it is one prompt; auto: jsonl for a file that is called so, "
               "else lines",
       .choices = kPromptFormats});
    v("chat", chat, {.help = "put each prompt into the model's chat template"});
    v("system", system, {.help = "what the system says at the beginning of a conversation"});
    v("interactive", interactive, {.help = "a conversation in the terminal"});
    v("output", output,
      {.help = "file of continuations, one a line, or - or stdout; \\n is a line break in one, "
               "\\r a carriage return, \\\\ a backslash",
       .letter = 'o',
       .writes = true});
    v("json", json,
      {.help = "write an object a line: text, finish_reason (stop or length), prompt_tokens, "
               "completion_tokens and log_probability, or error; with --word-scores also "
               "token_log_probabilities, and with --top-logprobs top_logprobs"});
    v("stream", stream,
      {.help = "continue line by line and write each word as soon as it is decided"});
    generation.fields(v);
  }

  void validate() const {
    generation.validate();
    if (stream && generation.samples > 1) {
      fail<OptionError>("--stream", "contradicts --samples {}; expected one of them",
                        generation.samples);
    }
    if (stream && json) fail<OptionError>("--stream", "contradicts --json; expected one of them");
    if (generation.top_logprobs > 0 && !json) {
      fail<OptionError>("--top-logprobs", "needs --json");
    }
    if (!system.empty() && !chat && !interactive && prompts() != PromptFormat::kJsonLines) {
      fail<OptionError>("--system", "needs --chat, --interactive or --format jsonl");
    }
    if (!interactive) return;
    options::check_unread(
        *this,
        [](std::string_view name) {
          return name != "input" && name != "format" && name != "chat" && name != "output" &&
                 name != "json" && name != "stream" && name != "samples" && name != "mini-batch" &&
                 name != "constraints" && name != "word-scores" && name != "context-shift";
        },
        "with --interactive");
  }

  PromptFormat prompts() const { return prompt_format(format, input); }
};

// [[{"token": " Rome", "logprob": -0.1}, ...], ...], as OpenAI names them.
OutputJson top_logprobs(const predict::GeneratedText& text, const predict::Generator& generator) {
  OutputJson out = OutputJson::array();
  for (const std::vector<decode::ScoredToken>& step : text.top_tokens) {
    OutputJson& tokens = out.emplace_back(OutputJson::array());
    for (const auto& [log_probability, token] : step) {
      tokens.push_back({{"token", generator.token_text(token)}, {"logprob", log_probability}});
    }
  }
  return out;
}

// The lines of a prompt's continuations.
std::vector<std::string> json_lines(const predict::GeneratedLine& line,
                                    const predict::Generator& generator) {
  std::vector<std::string> out;
  for (const predict::GeneratedText& text : line.texts) {
    OutputJson object;
    if (line.fault) {
      object["error"] = line.fault->reason;
    } else {
      object = {{"text", text.text},
                {"finish_reason", text.ended ? "stop" : "length"},
                {"prompt_tokens", line.prompt_tokens},
                {"completion_tokens", text.tokens},
                {"log_probability", text.log_probability}};
      if (!text.token_scores.empty()) object["token_log_probabilities"] = text.token_scores;
      if (!text.top_tokens.empty()) object["top_logprobs"] = top_logprobs(text, generator);
    }
    out.push_back(object.dump(-1, ' ', false, OutputJson::error_handler_t::replace));
  }
  return out;
}

// Answers prompts. The format of conversations is made when the first conversation comes.
class Answers {
 public:
  // `draft` is the model that drafts, or null.
  Answers(const model_file::LanguageModelSession& session, const GenerateOptions& options,
          const model_file::LanguageModelSession* draft)
      : session_(session),
        options_(options),
        generator_(session, options.generation, nullptr, draft) {
    if (options.chat) need_chat();
  }

  int run();

 private:
  void need_chat() {
    if (chat_) return;
    chat_.emplace(session_, predict::local_time());
    generator_ = generator_.with(*chat_);
  }
  void write(std::span<const predict::Prompt> prompts, LineSink& sink, Report& report);

  const model_file::LanguageModelSession& session_;
  const GenerateOptions& options_;
  std::optional<predict::ChatFormat> chat_;
  predict::Generator generator_;
};

void Answers::write(std::span<const predict::Prompt> prompts, LineSink& sink, Report& report) {
  for (const predict::Prompt& prompt : prompts) {
    if (prompt.conversation) need_chat();
  }
  if (options_.stream) {
    generator_.stream(prompts.front(), report, [&](std::string_view x) { sink.write_part(x); });
    return sink.write_part("\n");
  }
  std::vector<std::string> out;
  for (const predict::GeneratedLine& line : predict::predict(generator_, prompts, report)) {
    if (!options_.json) {
      out.push_back(line.written());
      continue;
    }
    for (std::string& one : json_lines(line, generator_)) out.push_back(std::move(one));
  }
  sink.write(out);
}

int Answers::run() {
  PromptSource source(
      options_.input,
      {.format = options_.prompts(), .chat = options_.chat, .system = options_.system});
  LineSink sink(options_.output);
  Report report(options_.prompts() == PromptFormat::kDocument ? "document" : "line");
  const Answering answering{
      .together = options_.stream ? 1 : generator_.prompts_together(),
      .done = "continued",
      .unit = options_.prompts() == PromptFormat::kDocument ? "document" : "line",
      .is_strict = true};
  for (std::vector<predict::Prompt> prompts; next_window(source, answering.together, prompts);) {
    write(prompts, sink, report);
  }
  generator_.check_constraints_used(report);
  return conclude(report, answering);
}

}  // namespace

int run_generate(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<GenerateOptions>(info, args);
  if (!options) return 0;
  const model_file::LanguageModelSession session = options->model.load();
  std::optional<model_file::LanguageModelSession> draft;
  if (options->generation.has_draft_model()) {
    draft = model_file::load_any_packed<model_file::LanguageModelSession>(options->generation.draft,
                                                                          options->model.weights());
  }
  const model_file::LanguageModelSession* const small = draft ? &*draft : nullptr;
  if (!options->interactive) return Answers(session, *options, small).run();
  const predict::ChatFormat chat(session, predict::local_time());
  predict::Dialogue dialogue(session, options->generation, chat, options->system, small);
  return converse(dialogue);
}

}  // namespace weft::app
