// weft inspect: what is in a model file, and what the model does with examples.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/weft/command.h"
#include "apps/weft/input/lines.h"
#include "weft/api/inspect/inspect_file.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/inspect/page.h"
#include "weft/model_file/any_adapter.h"

namespace weft::app {
namespace {

using inspect::ModelInspection;

struct InspectOptions {
  std::vector<std::string> models;
  bool json = false;
  std::string html;
  std::string data;
  std::string input{kStandardInput};
  std::string adapter;
  int64_t most_examples = 50;
  inspect::InspectionOptions inspection;
  api::AblationOptions ablation;

  template <class V>
  void fields(V& v) {
    v("model", models,
      {.help = "model of any kind, or two, which are shown side by side: model files, folders of "
               "Transformers, GGUF files",
       .letter = 'm',
       .alias = "models",
       .required = true,
       .reads = true});
    v("json", json, {.help = "print what is in the file as JSON"});
    options::group(v, "Examples");
    v("html", html,
      {.help = "write a page that shows what the model does with each line of the input: what "
               "attends to what, hypotheses, alternatives; it is one file and needs no network",
       .writes = true});
    v("data", data, {.help = "write what the page shows as JSON", .writes = true});
    v("input", input,
      {.help =
           "examples, one a line, plain or .gz, or - or stdin: a text, or the path of a picture, a "
           "sound or a file of vectors; for a model of two views two paths separated by a tab, "
           "which start in the folder of this file",
       .letter = 'i',
       .reads = true});
    model_file::adapter_field(v, adapter);
    v("max-examples", most_examples, {.help = "maximum number of lines", .min = 1, .max = 10000});
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
    for (const std::string& path : {html, data}) {
      if (path == "-") fail<OptionError>("--html", "expected the path of a file, got -");
    }
    const std::vector<std::string> of_ablation = names_of(ablation);
    std::vector<std::string> of_examples = names_of(inspection);
    of_examples.insert(of_examples.end(), {"input", "lora", "max-examples"});
    const auto is_in = [](const std::vector<std::string>& names, std::string_view name) {
      return std::ranges::find(names, name) != names.end();
    };
    if (!ablation.is_on()) {
      options::check_unread(
          *this, [&](std::string_view name) { return !is_in(of_ablation, name); },
          "without --ablate");
    }
    if (!has_examples()) {
      options::check_unread(
          *this, [&](std::string_view name) { return !is_in(of_examples, name); },
          "without --html or --data");
    }
  }

 private:
  template <class Options>
  static std::vector<std::string> names_of(Options options) {
    options::OptionTable table;
    table.add(options);
    return table.names();
  }
};

std::vector<predict::Line> read_lines(const InspectOptions& options) {
  std::vector<predict::Line> out;
  LineSource source(options.input);
  for (predict::Line line; source.next(line);) {
    if (std::ssize(out) == options.most_examples) {
      log::warn("only the first {} are shown; hint: --max-examples",
                counted(options.most_examples, "line"));
      break;
    }
    out.push_back(line);
  }
  if (out.empty()) fail<FormatError>(options.input, "no lines; expected at least one example");
  return out;
}

// The folder of the list that lines are from.
std::string folder_of(const std::string& input) {
  const bool is_standard = input == kStandardInput || input == "-";
  return is_standard ? "" : std::filesystem::path(input).parent_path().string();
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

// A model after the other; as JSON several are a list.
void print_summaries(const std::vector<ModelInspection>& models, bool as_json) {
  std::vector<std::string> texts;
  texts.reserve(models.size());
  for (const ModelInspection& model : models) {
    texts.push_back(as_json ? model.summary.json() : model.summary.text());
  }
  const std::string text = fmt::format("{}", fmt::join(texts, as_json ? ",\n" : "\n"));
  if (as_json && models.size() > 1) return print(fmt::format("[{}]\n", text));
  print(as_json ? text + "\n" : text);
}

}  // namespace

int run_inspect(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<InspectOptions>(info, args);
  if (!options) return 0;
  for (const std::string& path : {options->html, options->data}) {
    if (!path.empty()) check_writable(path);
  }
  const ReadFiles inputs;
  std::vector<predict::Line> lines;
  if (options->has_examples()) lines = read_lines(*options);
  const api::ExampleOptions examples{.inspection = options->inspection,
                                     .folder = folder_of(options->input),
                                     .adapter = options->adapter};
  std::vector<ModelInspection> models;
  for (const std::string& path : options->models) {
    models.push_back(api::inspect_file(path, lines, examples, options->ablation));
    const std::optional<inspect::Ablation>& ablation = models.back().ablation;
    if (ablation && options->models.size() > 1) print(fmt::format("{}\n", path));
    if (ablation) print(ablation->text());
  }
  if (options->has_examples()) {
    inputs.check_output("--html", options->html);
    inputs.check_output("--data", options->data);
    write_inspections(models, *options);
  } else if (!options->ablation.is_on()) {
    print_summaries(models, options->json);
  }
  return std::ranges::all_of(models, &ModelInspection::is_finite) ? 0 : 1;
}

}  // namespace weft::app
