// weft generate: continues prompts by a language model, and answers conversations.

#include "weft/generate.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/prompts.h"
#include "apps/weft/interactive.h"
#include "apps/weft/language_model_options.h"
#include "weft/core/text/escapes.h"

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
  LibraryOptions generation{Generator::schema()};

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
    const auto samples = generation.value<int64_t>("samples");
    if (stream && samples > 1) {
      fail<OptionError>("--stream", "contradicts --samples {}; expected one of them", samples);
    }
    if (stream && json) fail<OptionError>("--stream", "contradicts --json; expected one of them");
    if (generation.value<int64_t>("top-logprobs") > 0 && !json) {
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
                 name != "constraints" && name != "word-scores" && name != "keep";
        },
        "with --interactive");
  }

  PromptFormat prompts() const { return prompt_format(format, input); }
};

// [[{"token": " Rome", "logprob": -0.1}, ...], ...], as OpenAI names them.
OutputJson top_logprobs(const GeneratedText& text) {
  OutputJson out = OutputJson::array();
  for (const std::vector<TokenProbability>& step : text.top_tokens) {
    OutputJson& tokens = out.emplace_back(OutputJson::array());
    for (const auto& [token, log_probability] : step) {
      tokens.push_back({{"token", token}, {"logprob", log_probability}});
    }
  }
  return out;
}

// The lines of a prompt's continuations.
std::vector<std::string> json_lines(const Generation& line) {
  std::vector<std::string> out;
  for (const GeneratedText& text : line.texts) {
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
      if (!text.top_tokens.empty()) object["top_logprobs"] = top_logprobs(text);
    }
    out.push_back(object.dump(-1, ' ', false, OutputJson::error_handler_t::replace));
  }
  return out;
}

void stream(const Generator& generator, const Prompt& prompt, LineSink& sink, Report& report) {
  const auto write = [&](std::string_view text) {
    sink.write_part(escaped(text));
    return true;
  };
  const Generation found = generator.stream(prompt, write, &report);
  sink.write_part(found.written.substr(escaped(found.texts.front().text).size()) + "\n");
}

std::vector<std::string> lines_of(std::vector<Generation> found, bool as_json) {
  std::vector<std::string> out;
  for (Generation& line : found) {
    if (!as_json) {
      out.push_back(std::move(line.written));
      continue;
    }
    for (std::string& one : json_lines(line)) out.push_back(std::move(one));
  }
  return out;
}

int generate(const Generator& generator, const GenerateOptions& options) {
  const PromptFormat format = options.prompts();
  PromptSource source(options.input,
                      {.format = format, .chat = options.chat, .system = options.system});
  LineSink sink(options.output);
  const std::string_view unit = format == PromptFormat::kDocument ? "document" : "line";
  Report report(unit);
  const int64_t together = 8 * options.generation.value<int64_t>("mini-batch");
  const Answering answering{.together = options.stream ? 1 : together,
                            .done = "continued",
                            .unit = unit,
                            .is_strict = true};
  for (std::vector<Prompt> prompts; next_window(source, answering.together, prompts);) {
    if (options.stream) {
      stream(generator, prompts.front(), sink, report);
    } else {
      sink.write(lines_of(generator.generate(prompts, &report), options.json));
    }
  }
  generator.check_constraints_used(report);
  return conclude(report, answering);
}

}  // namespace

int run_generate(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<GenerateOptions>(info, args);
  if (!options) return 0;
  const Model model = options->model.load();
  if (options->interactive) {
    Chat chat(model, options->generation.changed(), options->system);
    return converse(chat);
  }
  const Generator generator(model, options->generation.changed());
  if (options->chat) generator.check_chat();
  return generate(generator, *options);
}

}  // namespace weft::app
