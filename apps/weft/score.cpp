// weft score: log-probabilities or alignments of given translations.
#include "weft/predict/translation/score.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/weft/command.h"
#include "apps/weft/model_options.h"
#include "weft/core/log.h"
#include "weft/decode/alignment.h"
#include "weft/decode/options.h"
#include "weft/model_file/translator.h"
#include "weft/nn/attention/guide.h"
#include "weft/predict/not_finite.h"
#include "weft/predict/report.h"

namespace weft::app {
namespace {

struct ScoreOptions {
  std::string model;
  std::vector<std::string> text;
  bool tsv = false;
  std::string summary;
  bool normalize = false;
  int64_t max_length = 1000;
  int64_t mini_batch_words = 4096;
  decode::AlignmentOptions alignment;
  bool strict = false;

  template <class V>
  void fields(V& v) {
    ModelOptions::path_field(v, model);
    v("train-sets", text,
      {.help =
           "source and target file, plain or .gz, or - for standard input; one file with both with "
           "--tsv",
       .letter = 't',
       .required = true,
       .reads = true});
    v("tsv", tsv, {.help = "source and target are tab-separated columns of one file"});
    v("summary", summary,
      {.help = "print one number for the corpus: cross-entropy in nats per token, including end "
               "symbols, or perplexity; none: the log-probability of each line",
       .choices = "cross-entropy|perplexity",
       .implied = "cross-entropy"});
    v("normalize", normalize,
      {.help =
           "divide each line's log-probability by its number of tokens, including the end symbol",
       .letter = 'n'});
    v("max-length", max_length,
      {.help =
           "longest source and target, in tokens, or what the model's tables hold where that is "
           "less; the end of a longer one is not read, which is reported",
       .min = 1,
       .max = 1e6});
    v("mini-batch-words", mini_batch_words,
      {.help = "maximum target tokens per batch; affects speed and memory, not scores",
       .min = 1,
       .max = 1e9});
    alignment.fields(v,
                     "instead of scores, print which source tokens each target token attends to");
    v("strict", strict,
      {.help = "exit with status 1 if a line was cropped, over-long, had too few columns or was "
               "not UTF-8"});
  }

  void validate() const {
    options::check_scopes(*this);
    if (text.size() != (tsv ? 1u : 2u)) {
      fail<OptionError>("--train-sets", "expected {}, got {} files",
                        tsv ? "one file with --tsv" : "a source and a target file", text.size());
    }
    if (!summary.empty() && normalize) {
      fail<OptionError>("--normalize", "applies to scores of lines; contradicts --summary");
    }
    if (alignment.is_on() && (normalize || !summary.empty())) {
      fail<OptionError>("--alignment", "replaces scores; contradicts {}",
                        normalize ? "--normalize" : "--summary");
    }
  }
};

// Prints what is asked for of one part of the text after the other.
class ScorePrinter {
 public:
  ScorePrinter(const model_file::TranslatorSession& session, const ScoreOptions& options)
      : session_(session), options_(options) {
    if (options.alignment.is_on()) {
      heads_ = decode::printed_heads(options.alignment.heads, session.model.options);
    }
  }

  void add(const data::Corpus& corpus) {
    options_.alignment.is_on() ? print_alignments(corpus) : add_scores(corpus);
    flush_output();
  }
  void finish() const {
    if (options_.summary.empty()) return;
    const double cross_entropy = -log_probability_ / tokens_;
    print(fmt::format("{:.6f}\n",
                      options_.summary == "perplexity" ? std::exp(cross_entropy) : cross_entropy));
  }

  // Pairs without a score or an alignment are faults, and their lines are empty.
  const predict::Report& report() const { return report_; }

 private:
  void add_scores(const data::Corpus& corpus) {
    for (const predict::SentenceScore& s :
         predict::score(session_.model, corpus, options_.mini_batch_words)) {
      const int64_t number = report_.inputs++;
      if (std::isnan(s.log_probability)) {
        if (!options_.summary.empty()) {
          fail<NumericError>("--summary", "pair {}: {}", report_.inputs, predict::kNotFiniteText);
        }
        report_.add(predict::Fault::not_finite(), number);
        print("\n");
        continue;
      }
      const auto tokens = static_cast<double>(s.tokens);
      log_probability_ += s.log_probability;
      tokens_ += tokens;
      if (!options_.summary.empty()) continue;
      print(fmt::format("{:.6f}\n", s.log_probability / (options_.normalize ? tokens : 1)));
    }
  }
  void print_alignments(const data::Corpus& corpus) {
    for (const decode::Alignment& a :
         decode::align_corpus(session_.model, corpus, heads_, options_.mini_batch_words)) {
      const int64_t number = report_.inputs++;
      if (!a.is_finite) {
        report_.add(predict::Fault::not_finite(), number);
        print("\n");
        continue;
      }
      const std::span<const decode::Alignment> line(&a, 1);
      print(decode::aligned_text(options_.alignment, line) + "\n");
    }
  }

  const model_file::TranslatorSession& session_;
  const ScoreOptions& options_;
  std::vector<decode::AttentionHead> heads_;
  double log_probability_ = 0, tokens_ = 0;  // of all lines
  predict::Report report_{"pair"};
};

}  // namespace

int run_score(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ScoreOptions>(info, args);
  if (!options) return 0;
  const model_file::TranslatorSession session =
      model_file::load<model_file::TranslatorSession>(options->model);
  if (!session.model.options.is_left_to_right()) {
    fail<OptionError>(
        "--model",
        "{} is a model of --generation {}, which has no probability of a token given the "
        "previous ones; expected a model of --generation left-to-right",
        options->model, session.model.options.generation.name());
  }
  const auto [source, target] = session.model.options.longest_pair();
  const data::CorpusText text{{{.files = options->text,
                                .tsv = options->tsv,
                                .standard_input = data::StandardInput::kAsItComes}},
                              session.tokenisers,
                              {.max_lengths = {std::min(source, options->max_length),
                                               std::min(target, options->max_length)},
                               .crop = true,
                               .keep_all = true}};
  ScorePrinter printer(session, *options);
  const data::CorpusParts parts = data::read_corpus(text, [&](data::ChunkWords chunk) {
    printer.add({text, std::move(chunk)});
  });
  printer.finish();
  const data::CorpusReport& report = parts.reports.front();
  const bool is_clean =
      report.cropped + report.over_long + report.bad_utf8 + report.few_columns == 0;
  (is_clean && report.empty == 0) ? log::info("{}", report.text()) : log::warn("{}", report.text());
  const predict::Report& scored = printer.report();
  if (scored.has_news()) log::warn("{}", scored.text());
  return scored.problems() > 0 || (options->strict && !is_clean) ? 1 : 0;
}

}  // namespace weft::app
