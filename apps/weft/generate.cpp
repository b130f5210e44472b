// weft generate: continues prompts by a language model, line by line.

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/model_options.h"
#include "weft/model_file/any_language_model.h"
#include "weft/predict/generation/generator.h"

namespace weft::app {
namespace {

struct GenerateOptions {
  std::string model;
  PrecisionOption precision;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  bool stream = false;
  predict::GenerationOptions generation;

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    v("model", model,
      {.help = "model file, folder of Hugging Face Transformers, or GGUF file",
       .letter = 'm',
       .required = true});
    precision.fields(v);
    v("input", input,
      {.help = "prompts, one a line, plain or .gz, or - or stdin", .letter = 'i', .reads = true});
    v("output", output,
      {.help = "file of continuations, one a line, or - or stdout; \\n is a line break in one, "
               "\\r a carriage return, \\\\ a backslash",
       .letter = 'o',
       .writes = true});
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
  }
};

}  // namespace

int run_generate(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<GenerateOptions>(info, args);
  if (!options) return 0;
  const model_file::LanguageModelSession session =
      model_file::load_any_language_model(options->model, options->precision.weights());
  const predict::Generator generator(session, options->generation);
  LineSource source(options->input);
  LineSink sink(options->output);
  predict::Report report;
  const Answering answering{.together = options->stream ? 1 : generator.lines_together(),
                            .done = "continued",
                            .is_strict = true};
  for (std::vector<predict::Line> lines; next_window(source, answering.together, lines);) {
    if (options->stream) {
      generator.stream(lines.front(), report, [&](std::string_view x) { sink.write_part(x); });
      sink.write_part("\n");
      continue;
    }
    std::vector<std::string> out;
    for (const predict::GeneratedLine& line : predict::predict(generator, lines, report)) {
      out.push_back(line.written());
    }
    sink.write(out);
  }
  return conclude(report, answering);
}

}  // namespace weft::app
