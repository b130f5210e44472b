#include "weft/tasks/translation/validator.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "weft/data/batcher.h"
#include "weft/data/parallel_text.h"
#include "weft/decode/sentences.h"
#include "weft/metrics/bleu.h"
#include "weft/metrics/chrf.h"
#include "weft/models/capacity.h"
#include "weft/tasks/translation/length_limits.h"

namespace weft::tasks {
namespace {

bool is_loss(std::string_view metric) {
  return metric == "cross-entropy" || metric == "perplexity";
}

constexpr data::BatchLimits kPairLimits{.rows = 4096, .examples = 0};

}  // namespace

Validator::Validator(const TranslationOptions& options,
                     const std::vector<data::TokeniserPtr>& tokenisers)
    : metrics_(options.validation.valid_metrics), translations_(options.valid_translations) {
  const data::CorpusFiles files{options.validation.valid_sets, options.data.tsv};
  const auto [source, target] = models::longest_sides(options.model);
  corpus_ = std::make_unique<data::Corpus>(
      std::vector{files}, tokenisers,
      data::CorpusLimits{.max_lengths = {source, target}, .crop = true, .keep_all = true});
  check_ctc_targets(*corpus_, options.model, "--valid-sets");
  data::ParallelText text(files, static_cast<int64_t>(tokenisers.size()));
  while (text.next()) {
    const std::string reference(text.fields().back());
    references_.push_back(translations_.undo_bpe ? data::undo_bpe(reference) : reference);
  }
}

double Validator::cross_entropy(const model_file::Seq2SeqSession& session) const {
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

std::vector<std::string> Validator::translate(const model_file::Seq2SeqSession& session) const {
  data::Tokens sources;
  for (int64_t s = 0; s < corpus_->size(); ++s) {
    sources.add(corpus_->ids(0, s), session.source().end_id());
  }
  decode::DecodeOptions options;
  options.beam_size = translations_.beam_size;
  const std::vector<int32_t> forbidden = {session.target().unknown_id()};
  std::vector<std::string> out;
  for (const decode::NBest& found : decode::decode(session.model, sources, options, forbidden)) {
    const std::string text = session.target().decode(found.front().tokens);
    out.push_back(translations_.undo_bpe ? data::undo_bpe(text) : text);
  }
  return out;
}

std::vector<train::Metric> Validator::measure(const model_file::Seq2SeqSession& session) const {
  std::optional<double> loss;
  std::optional<std::vector<std::string>> lines;
  const auto value = [&](const std::string& metric) {
    if (is_loss(metric)) {
      if (!loss) loss = cross_entropy(session);
      return metric == "perplexity" ? std::exp(*loss) : *loss;
    }
    if (!lines) lines = translate(session);
    const std::span references(&references_, 1);
    return metric == "bleu" ? metrics::corpus_bleu(*lines, references).score
                            : metrics::corpus_chrf(*lines, references).score;
  };
  std::vector<train::Metric> out;
  for (const std::string& metric : metrics_) {
    out.push_back({.name = metric, .value = value(metric), .is_loss = is_loss(metric)});
  }
  return out;
}

}  // namespace weft::tasks
