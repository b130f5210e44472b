#include "weft/tasks/translation/validator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "weft/data/batcher.h"
#include "weft/data/corpus/parallel_text.h"
#include "weft/metrics/text/text_metrics.h"
#include "weft/predict/translation/translator.h"
#include "weft/tasks/sample_table.h"
#include "weft/tasks/translation/length_limits.h"
#include "weft/tasks/translation/samples.h"

namespace weft::tasks {
namespace {

bool is_loss(std::string_view metric) {
  return metric == "cross-entropy" || metric == "perplexity";
}

constexpr int64_t kSamples = 3;
constexpr data::BatchLimits kPairLimits{.rows = 4096, .examples = 0};

}  // namespace

Validator::Validator(const TranslationOptions& options,
                     const model_file::TranslatorSession& session)
    : metrics_(options.validation.valid_metrics), translations_(options.valid_translations) {
  const data::CorpusFiles files{options.validation.valid_sets, options.data.tsv};
  const models::Seq2SeqOptions& model = session.model.options;
  const auto [source, target] = model.longest_pair();
  corpus_ = std::make_unique<data::Corpus>(
      std::vector{files}, session.tokenisers,
      data::CorpusLimits{.max_lengths = {source, target}, .crop = true, .keep_all = true});
  check_ctc_targets(*corpus_, model.generation, "--valid-sets");
  data::ParallelText text(files, data::kSides);
  while (text.next()) {
    const std::string reference(text.fields().back());
    references_.push_back(translations_.undo_bpe ? data::undo_bpe(reference) : reference);
  }
}

double Validator::cross_entropy(const model_file::TranslatorSession& session) const {
  const data::BatchPlan plan = data::evaluation_plan(*corpus_, kPairLimits);
  double nll = 0;
  int64_t targets = 0;
  for (int64_t b = 0; b < plan.size(); ++b) {
    const data::Batch batch = corpus_->batch(plan[b]);
    nn::Context context;
    const ops::Loss loss = session.model.loss(batch, {}, context);
    nll += loss.nll;
    targets += batch.target().rows() - loss.left_out;
  }
  return nll / static_cast<double>(std::max<int64_t>(1, targets));
}

std::vector<predict::TranslatedText> Validator::translate(
    const model_file::TranslatorSession& session, int64_t lines) const {
  decode::DecodeOptions options;
  options.undo_bpe = translations_.undo_bpe;
  if (session.model.options.is_left_to_right()) options.beam_size = translations_.beam_size;
  const predict::Translator translator(session, options);
  std::vector<std::vector<int32_t>> sources;
  for (int64_t s = 0; s < lines; ++s) sources.push_back(corpus_->ids(0, s));
  Report report;
  std::vector<predict::TranslatedText> out;
  for (predict::TranslatedLine& line : predict::predict(translator, sources, report)) {
    if (line.fault) fail<NumericError>("--valid-sets", "{}", line.fault->reason);
    out.push_back(std::move(line.hypotheses.front()));
  }
  return out;
}

std::vector<train::Sample> Validator::samples(const model_file::TranslatorSession& session) const {
  std::vector<train::Sample> out;
  for (const predict::TranslatedText& found :
       translate(session, std::min(kSamples, corpus_->size()))) {
    const auto i = static_cast<int64_t>(out.size());
    const std::vector<int32_t> source = corpus_->ids(0, i);
    out.push_back({.name = fmt::format("{}", i + 1),
                   .text = sample_table({{"source", session.source().decode(source)},
                                         {"reference", references_[static_cast<size_t>(i)]},
                                         {"translation", found.text}}),
                   .pictures = attention_pictures(session, source, found.tokens)});
  }
  return out;
}

std::vector<train::Metric> Validator::measure(const model_file::TranslatorSession& session) const {
  std::optional<double> loss;
  std::optional<std::vector<std::string>> lines;
  const auto value = [&](const std::string& metric) {
    if (is_loss(metric)) {
      if (!loss) loss = cross_entropy(session);
      return metric == "perplexity" ? std::exp(*loss) : *loss;
    }
    if (!lines) {
      lines.emplace();
      for (auto& found : translate(session, corpus_->size())) {
        lines->push_back(std::move(found.text));
      }
    }
    return metrics::text_score(metric, {*lines, std::span(&references_, 1)}).score;
  };
  std::vector<train::Metric> out;
  for (const std::string& metric : metrics_) {
    const bool is_lower_better = is_loss(metric) || metrics::is_error_rate(metric);
    out.push_back({.name = metric, .value = value(metric), .is_loss = is_lower_better});
  }
  return out;
}

}  // namespace weft::tasks
