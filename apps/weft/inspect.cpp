// weft inspect: what is in a model file, and what the model does with examples.
#include "weft/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/weft/command.h"
#include "apps/weft/flags/library_options.h"
#include "apps/weft/input/lines.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"

namespace weft::app {
namespace {

struct InspectOptions {
  std::vector<std::string> models;
  bool json = false;
  std::string html;
  std::string data;
  std::string input{kStandardInput};
  int64_t most_examples = 50;
  LibraryOptions inspection{inspection_schema(), {"folder"}};
  LibraryOptions ablation{ablation_schema()};

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
    v("max-examples", most_examples, {.help = "maximum number of lines", .min = 1, .max = 10000});
    inspection.fields(v);
    ablation.fields(v);
  }

  bool has_examples() const { return !html.empty() || !data.empty(); }
  bool ablates() const { return !ablation.value<std::vector<std::string>>("ablate").empty(); }
  void validate() const {
    constexpr size_t kMostModels = 2;
    if (models.size() > kMostModels) {
      fail<OptionError>("--model", "expected one model or two, got {}", models.size());
    }
    if (json && (has_examples() || ablates())) {
      fail<OptionError>("--json", "contradicts --html, --data and --ablate; expected it alone");
    }
    if (html == "-") fail<OptionError>("--html", "expected the path of a file, got -");
    if (data == "-") fail<OptionError>("--data", "expected the path of a file, got -");
    inspection.validate();
    ablation.validate();
    if (!ablates()) {
      options::check_unread(
          *this, [&](std::string_view name) { return !ablation.has(name); }, "without --ablate");
    }
    if (!has_examples()) {
      options::check_unread(
          *this,
          [&](std::string_view name) {
            return !inspection.has(name) && name != "input" && name != "max-examples";
          },
          "without --html or --data");
    }
  }
};

std::vector<Line> read_lines(const InspectOptions& options) {
  std::vector<Line> out;
  LineSource source(options.input);
  for (Line line; source.next(line);) {
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

// A model after the other; as JSON several are a list.
void print_summaries(const std::vector<std::string>& models, bool as_json) {
  std::vector<std::string> texts;
  texts.reserve(models.size());
  for (const std::string& path : models) texts.push_back(summary_of_file(path, as_json));
  const std::string text = fmt::format("{}", fmt::join(texts, as_json ? ",\n" : "\n"));
  if (as_json && models.size() > 1) return print(fmt::format("[{}]\n", text));
  print(as_json ? text + "\n" : text);
}

// Of each model.
void print_ablations(const std::vector<std::string>& models,
                     const std::vector<std::string>& found) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (models.size() > 1) print(fmt::format("{}\n", models[i]));
    print(found[i]);
  }
}

void ablate(const InspectOptions& options) {
  std::vector<std::string> found;
  for (const std::string& path : options.models) {
    found.push_back(ablate_heads(path, options.ablation.changed()));
  }
  print_ablations(options.models, found);
}

// Returns the exit status.
int write_examples(const InspectOptions& options, const ReadFiles& inputs) {
  Options given = options.ablation.added_to(options.inspection.changed());
  given.push_back({"folder", folder_of(options.input)});
  const Inspection found = inspect_files(options.models, read_lines(options), given);
  print_ablations(options.models, found.ablations);
  inputs.check_output("--html", options.html);
  inputs.check_output("--data", options.data);
  if (!options.data.empty()) write_text(options.data, found.json + "\n");
  if (!options.html.empty()) write_text(options.html, found.page);
  return found.is_finite ? 0 : 1;
}

}  // namespace

int run_inspect(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<InspectOptions>(info, args);
  if (!options) return 0;
  for (const std::string& path : {options->html, options->data}) {
    if (!path.empty()) check_writable(path);
  }
  const ReadFiles inputs;
  if (options->has_examples()) return write_examples(*options, inputs);
  options->ablates() ? ablate(*options) : print_summaries(options->models, options->json);
  return 0;
}

}  // namespace weft::app
