// weft fill: lines with masks in, lines with tokens in their place out, or the most probable
// tokens.
#include "weft/fill.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/model_options.h"

namespace weft::app {
namespace {

using FillJson = nlohmann::ordered_json;

struct FillCommandOptions {
  ModelOptions model;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  LibraryOptions filling{MaskFiller::schema()};
  bool json = false;
  bool strict = false;

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    model.fields(v);
    v("input", input,
      {.help = "lines of text with masks, plain or .gz, or - or stdin",
       .letter = 'i',
       .reads = true});
    v("output", output,
      {.help = "file of filled lines, or - or stdout", .letter = 'o', .writes = true});
    filling.fields(v);
    v("json", json,
      {.help = "write an object a line: text, the line with its masks filled, and masks, a list "
               "for each of --top tokens with token and probability; or error"});
    v("strict", strict,
      {.help = "exit status 1 if a line was without a mask, cropped, over-long or not UTF-8; a "
               "result is written for every line in any case"});
  }

  void validate() const { filling.validate(); }
};

std::string candidates_text(const FilledText& line) {
  std::string out;
  for (const auto& mask : line.masks) {
    if (&mask != &line.masks.front()) out += "\t\t";
    for (const MaskCandidate& one : mask) {
      if (&one != &mask.front()) out += '\t';
      out += fmt::format("{}\t{:.6f}", one.token, one.probability);
    }
  }
  return out;
}

std::string filled_json(const FilledText& line) {
  FillJson out;
  if (line.fault) {
    out["error"] = line.fault->reason;
  } else {
    out["text"] = line.text;
    out["masks"] = FillJson::array();
    for (const auto& mask : line.masks) {
      FillJson& tokens = out["masks"].emplace_back(FillJson::array());
      for (const MaskCandidate& one : mask) {
        tokens.push_back({{"token", one.token}, {"probability", one.probability}});
      }
    }
  }
  return out.dump(-1, ' ', false, FillJson::error_handler_t::replace);
}

}  // namespace

int run_fill(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<FillCommandOptions>(info, args);
  if (!options) return 0;
  const MaskFiller filler(options->model.load("masked-lm"), options->filling.changed());
  const bool shows_candidates = options->filling.value<int64_t>("top") > 0;
  LineSource source(options->input);
  LineSink sink(options->output);
  Report report;
  const Answering answering{
      .together = lines_together(options->filling), .done = "filled", .is_strict = options->strict};
  for (std::vector<Line> lines; next_window(source, answering.together, lines);) {
    std::vector<std::string> out;
    for (const FilledText& line : filler.fill(lines, &report)) {
      out.push_back(options->json      ? filled_json(line)
                    : shows_candidates ? candidates_text(line)
                                       : line.text);
    }
    sink.write(out);
  }
  return conclude(report, answering);
}

}  // namespace weft::app
