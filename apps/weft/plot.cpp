// weft plot: curves of training metrics, as SVG.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/weft/command.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/text/nearest.h"
#include "weft/formats/line_chart.h"
#include "weft/formats/metrics_lines.h"

namespace weft::app {
namespace {

using formats::ChartLine;
using formats::ChartPanel;

struct PlotOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::vector<std::string> series;

  template <class V>
  void fields(V& v) {
    v("input", inputs,
      {.help = "files of weft train --metrics, each a training",
       .letter = 'i',
       .required = true,
       .positional = true,
       .reads = true});
    v("output", output,
      {.help = "SVG file to write", .letter = 'o', .required = true, .writes = true});
    v("series", series,
      {.help = "what to draw, each on axes of its own: loss, learn_rate, gradient_norm, "
               "targets_per_second, seconds, epoch; gradient_norms, of every part of the model, or "
               "gradient_norms.PART; memory, or memory.peak; valid, every validation metric, or "
               "valid.METRIC (default: loss and every validation metric)"});
  }
  void validate() const { options::check_files(*this); }
};

struct Run {
  std::string name;
  std::vector<ChartLine> series;  // by their full names: "loss", "valid.bleu"
};

// The names of files without folder and extension, or the whole paths if these are not distinct.
std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const std::string& path : paths) {
    names.push_back(std::filesystem::path(path).stem().string());
  }
  return std::set(names.begin(), names.end()).size() == names.size() ? names : paths;
}

std::string series_name(const std::string& member) {
  constexpr std::string_view kMetrics = "metrics.";
  if (!member.starts_with(kMetrics)) return member;
  return "valid." + member.substr(kMetrics.size());
}

Run read_run(const std::string& path, const std::string& name) {
  Run run{.name = name, .series = {}};
  for (const formats::MetricsLine& line : formats::read_metrics(path)) {
    for (const auto& [member, value] : line.values) {
      if (member == "update" || (line.kind == "validation" && member == "seconds")) continue;
      const std::string series = series_name(member);
      auto found = std::ranges::find(run.series, series, &ChartLine::name);
      if (found == run.series.end()) {
        found = run.series.insert(found, {.name = series, .points = {}, .style = 0});
      }
      found->points.push_back({.x = static_cast<double>(line.update), .y = value});
    }
  }
  return run;
}

// The members of a group, "memory" or "gradient_norms", have one panel; those of "valid" differ in
// scale and have one each.
std::vector<std::string> panels_of(const std::vector<Run>& runs, const std::string& wanted) {
  if (wanted != "valid") return {wanted};
  std::vector<std::string> out;
  for (const Run& run : runs) {
    for (const ChartLine& line : run.series) {
      const bool is_known = std::ranges::find(out, line.name) != out.end();
      if (line.name.starts_with("valid.") && !is_known) out.push_back(line.name);
    }
  }
  return out;
}

// A run has the same style in every panel; the members of a group are numbered.
ChartPanel panel_of(const std::vector<Run>& runs, const std::string& title) {
  ChartPanel panel{.title = title, .lines = {}};
  const std::string group = title + ".";
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const ChartLine& line : runs[i].series) {
      const bool is_member = line.name.starts_with(group);
      if (line.name != title && !is_member) continue;
      std::string name = is_member ? line.name.substr(group.size()) : runs[i].name;
      if (is_member && runs.size() > 1) name = fmt::format("{} {}", runs[i].name, name);
      panel.lines.push_back({.name = std::move(name),
                             .points = line.points,
                             .style = is_member ? panel.lines.size() : i});
    }
  }
  return panel;
}

[[noreturn]] void fail_unknown(const std::vector<Run>& runs, const std::string& wanted) {
  std::set<std::string> known;
  for (const Run& run : runs) {
    for (const ChartLine& line : run.series) {
      known.insert(line.name);
      known.insert(line.name.substr(0, line.name.find('.')));
    }
  }
  std::vector<std::string> shown;
  std::ranges::copy_if(known, std::back_inserter(shown),
                       [](const std::string& name) { return name.find('.') == std::string::npos; });
  const std::vector<std::string> all(known.begin(), known.end());
  fail<OptionError>("--series", "no {} in these files; expected {}{}", quote(wanted),
                    fmt::format("{}", fmt::join(shown, ", ")), nearest_hint(wanted, all));
}

}  // namespace

int run_plot(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<PlotOptions>(info, args);
  if (!options) return 0;
  std::vector<Run> runs;
  const std::vector<std::string> names = names_of(options->inputs);
  for (size_t i = 0; i < names.size(); ++i) runs.push_back(read_run(options->inputs[i], names[i]));
  const bool is_default = options->series.empty();
  const auto wanted = is_default ? std::vector<std::string>{"loss", "valid"} : options->series;
  std::vector<ChartPanel> panels;
  for (const std::string& series : wanted) {
    bool is_known = false;
    for (const std::string& title : panels_of(runs, series)) {
      ChartPanel panel = panel_of(runs, title);
      if (panel.lines.empty()) continue;
      panels.push_back(std::move(panel));
      is_known = true;
    }
    if (!is_known && !is_default) fail_unknown(runs, series);
  }
  if (panels.empty()) {
    fail<FormatError>(options->inputs.front(), "has no report yet; expected lines of kind update");
  }
  write_file(options->output, formats::line_chart(panels, "updates"));
  return 0;
}

}  // namespace weft::app
