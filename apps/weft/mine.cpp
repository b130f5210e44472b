// weft mine: pairs of texts in, the same with hard negatives behind them out.
#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/model_options.h"
#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/data/sequences/plain_texts.h"
#include "weft/data/sequences/text_groups.h"
#include "weft/embed.h"

namespace weft::app {
namespace {

struct MineOptions {
  ModelOptions model;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  std::vector<std::string> corpus;
  LibraryOptions mining{NegativeMiner::schema()};

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    model.fields(v);
    v("input", input,
      {.help = "lines of two texts that belong together, separated by a tab, plain or .gz, or - or "
               "stdin",
       .letter = 'i',
       .reads = true});
    v("output", output,
      {.help = "file of the same lines with negatives behind them, as weft train embedding reads "
               "them, or - or stdout",
       .letter = 'o',
       .writes = true});
    v("corpus", corpus,
      {.help = "files of plain text, a text a line: more texts to choose from than the second ones "
               "of --input",
       .reads = true});
    mining.fields(v);
  }

  void validate() const { mining.validate(); }
};

std::vector<PositivePair> read_pairs(const std::string& path) {
  std::vector<PositivePair> out;
  data::read_text_groups(
      {input_path(path)}, false, [&](const data::TextGroup& line, const std::string& where) {
        if (line.texts.size() != 2) {
          fail<FormatError>(where, "{} texts; expected two, separated by a tab", line.texts.size());
        }
        out.push_back({std::string(line.texts[0]), std::string(line.texts[1])});
      });
  if (out.empty()) fail<FormatError>("--input", "no lines; expected pairs of texts");
  return out;
}

std::vector<std::string> read_corpus(const std::vector<std::string>& files) {
  std::vector<std::string> out;
  data::read_plain_texts(files, false, [&](const data::PlainText& line) {
    if (line.text.find('\t') != line.text.npos) {
      fail<FormatError>(line.where, "a tab, which separates texts; expected one text");
    }
    out.emplace_back(line.text);
  });
  return out;
}

void tell_left_out(int64_t pairs, int64_t mined, int64_t negatives) {
  const int64_t left_out = pairs - mined;
  log::info("{} with {}; {} had fewer and {} left out", counted(mined, "pair"),
            counted(negatives, "negative"), left_out, left_out == 1 ? "was" : "were");
  if (mined > 0) return;
  log::warn("no pair has {}; hint: more texts by --corpus, or a smaller --margin",
            counted(negatives, "negative"));
}

}  // namespace

int run_mine(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<MineOptions>(info, args);
  if (!options) return 0;
  const NegativeMiner miner(options->model.load("embedder"), options->mining.changed());
  const std::vector<PositivePair> pairs = read_pairs(options->input);
  const std::vector<std::string> corpus = read_corpus(options->corpus);
  LineSink sink(options->output);
  Report report("text");
  const Answering answering{.done = "embedded", .unit = "text"};
  const auto found = miner.mine(pairs, corpus, &report);
  std::vector<std::string> out;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (found[i].empty()) continue;
    std::string& line = out.emplace_back(pairs[i].first + '\t' + pairs[i].second);
    for (const std::string& negative : found[i]) line += '\t' + negative;
  }
  sink.write(out);
  tell_left_out(std::ssize(pairs), std::ssize(out), options->mining.value<int64_t>("negatives"));
  return conclude(report, answering);
}

}  // namespace weft::app
