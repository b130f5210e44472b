// weft inspect: what is in a model file, and what the model does with examples.
#include <fmt/format.h>

#include "apps/weft/ablation.h"
#include "apps/weft/command.h"
#include "apps/weft/lines.h"
#include "apps/weft/tasks.h"
#include "weft/core/atomic_file.h"
#include "weft/core/counted.h"
#include "weft/core/log.h"
#include "weft/core/utf8.h"
#include "weft/inspect/classifier.h"
#include "weft/inspect/cross_view.h"
#include "weft/inspect/detector.h"
#include "weft/inspect/page.h"
#include "weft/inspect/seq2seq.h"
#include "weft/inspect/tagger.h"
#include "weft/inspect/transcriber.h"

namespace weft::app {
namespace {

using inspect::ModelInspection;

struct InspectOptions {
  std::vector<std::string> models;
  bool json = false;
  std::string html;
  std::string data;
  std::string input{kStandardInput};
  int64_t most_examples = 50;
  inspect::InspectionOptions inspection;
  AblationOptions ablation;

  template <class V>
  void fields(V& v) {
    v("model", models,
      {.help = "model file, or two, which are shown side by side",
       .letter = 'm',
       .alias = "models",
       .required = true,
       .reads = true});
    v("json", json, {.help = "print what is in the file as JSON"});
    group(v, "Examples");
    v("html", html,
      {.help = "write a page that shows what the model does with each line of the input: what "
               "attends to what, hypotheses, alternatives; it is one file and needs no network",
       .writes = true});
    v("data", data, {.help = "write what the page shows as JSON", .writes = true});
    v("input", input,
      {.help =
           "examples, one a line, plain or .gz, or - or stdin: a text, or the path of a picture, a "
           "sound or a file of vectors; of two views their two paths with a tab between",
       .letter = 'i',
       .reads = true});
    v("max-examples", most_examples,
      {.help = "lines that are read at most", .min = 1, .max = 10000});
    inspection.fields(v);
    ablation.fields(v);
  }

  bool has_examples() const { return !html.empty() || !data.empty(); }
  void validate() const {
    constexpr size_t kMostModels = 2;
    if (models.size() > kMostModels) {
      fail<OptionError>("--model", "expected one model or two, got {}", models.size());
    }
    if (json && (has_examples() || ablation.is_on())) {
      fail<OptionError>("--json", "contradicts --html, --data and --ablate; expected it alone");
    }
    const auto is_of_ablation = [](std::string_view name) {
      return name == "format" || name.ends_with("-field") || name.starts_with("label-") ||
             name.ends_with("-labels");
    };
    const auto is_of_examples = [](std::string_view name) {
      return name == "input" || name == "beam-size" || name == "alternatives" ||
             name.starts_with("max-");
    };
    if (!ablation.is_on()) {
      formats::check_unread(
          *this, [&](std::string_view name) { return !is_of_ablation(name); }, "without --ablate");
    }
    if (!has_examples()) {
      formats::check_unread(
          *this, [&](std::string_view name) { return !is_of_examples(name); },
          "without --html or --data");
    }
  }
};

std::vector<std::string> read_examples(const InspectOptions& options) {
  std::vector<std::string> out;
  LineSource source(options.input);
  for (decode::SourceLine line; source.next(line);) {
    if (std::ssize(out) == options.most_examples) {
      log::warn("only the first {} are shown; hint: --max-examples",
                counted(options.most_examples, "line"));
      break;
    }
    const bool is_text = !line.is_over_long && valid_utf8(line.text);
    if (!is_text) log::warn("line {}: not UTF-8, or too long; shown as empty", out.size() + 1);
    out.push_back(is_text ? line.text : "");
  }
  if (out.empty()) fail<FormatError>(options.input, "no lines; expected at least one example");
  return out;
}

// An example that names a file which cannot be read is empty, and says why.
template <class Session>
inspect::Example example_of(const Session& session, const std::string& line, int64_t number,
                            const InspectOptions& options) {
  inspect::Example out;
  try {
    out = inspect::inspect(session, line, options.inspection);
  } catch (const FileError& error) {
    out.note = error.what();
  } catch (const FormatError& error) {
    out.note = error.what();
  }
  if (out.input.empty() && !out.note.empty()) {
    log::warn("line {}: {}", number, out.note);
    out.input = line;
  }
  out.name = fmt::format("line {}", number);
  return out;
}

template <class Session>
std::vector<inspect::Example> examples_of(const Session& session,
                                          const std::vector<std::string>& lines,
                                          const InspectOptions& options) {
  std::vector<inspect::Example> out;
  out.reserve(lines.size());
  for (const std::string& line : lines) {
    out.push_back(example_of(session, line, std::ssize(out) + 1, options));
  }
  return out;
}

template <class Session>
inspect::Ablation ablation_of(const Session& session, const InspectOptions& options) {
  if constexpr (requires { ablate(session, options.ablation); }) {
    return ablate(session, options.ablation);
  } else {
    fail<OptionError>("--ablate", "a model of type {} reads no text", Session::kKind);
  }
}

template <class Session>
ModelInspection inspect_model(const std::string& path, const std::vector<std::string>& lines,
                              const InspectOptions& options) {
  ModelInspection out{.summary = inspect::summarise<Session>(path)};
  const auto session = model_file::load<Session>(path);
  if (options.has_examples()) {
    out.positions = inspect::positions_of(session);
    out.examples = examples_of(session, lines, options);
  }
  if (options.ablation.is_on()) out.ablation = ablation_of(session, options);
  return out;
}

void write_text(const std::string& path, const std::string& text) {
  write_file(path, text);
  log::info("wrote {}: {:.1f} MB", path, static_cast<double>(text.size()) / 1e6);
}

void write_inspections(const std::vector<ModelInspection>& models, const InspectOptions& options) {
  const std::string json = inspect::to_json(models);
  if (!options.data.empty()) write_text(options.data, json + "\n");
  if (!options.html.empty()) write_text(options.html, inspect::page(json));
}

}  // namespace

int run_inspect(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<InspectOptions>(info, args);
  if (!options) return 0;
  std::vector<std::string> lines;
  for (const std::string& path : {options->html, options->data}) {
    if (!path.empty()) check_writable(path);
  }
  if (options->has_examples()) lines = read_examples(*options);
  std::vector<ModelInspection> models;
  for (const std::string& path : options->models) {
    models.push_back(with_task_of(path, [&]<class Task>() {
      return inspect_model<typename Task::Session>(path, lines, *options);
    }));
    const ModelInspection& model = models.back();
    if (model.ablation) {
      print(model.ablation->text());
    } else if (!options->has_examples()) {
      print(options->json ? model.summary.json() + "\n" : model.summary.text());
    }
  }
  if (options->has_examples()) write_inspections(models, *options);
  return 0;
}

}  // namespace weft::app
