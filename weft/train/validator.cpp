#include "weft/train/validator.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "weft/data/batcher.h"
#include "weft/data/parallel_text.h"
#include "weft/decode/sentences.h"
#include "weft/metrics/bleu.h"
#include "weft/metrics/chrf.h"
#include "weft/models/capacity.h"
#include "weft/train/room.h"

namespace weft::train {
namespace {

constexpr data::BatchLimits kLimits{.rows = 4096, .examples = 0};

}  // namespace

bool is_loss(std::string_view metric) {
  return metric == "cross-entropy" || metric == "perplexity";
}

Validator::Validator(const TrainOptions& options, const std::vector<data::TokeniserPtr>& tokenisers)
    : options_(options.validation) {
  const data::CorpusFiles files{options_.valid_sets, options.data.tsv};
  const auto [source, target] = models::longest_sides(options.model);
  corpus_ = std::make_unique<data::Corpus>(
      std::vector{files}, tokenisers,
      data::CorpusLimits{.max_lengths = {source, target}, .crop = true, .keep_all = true});
  check_ctc_targets(*corpus_, options.model, "--valid-sets");
  data::ParallelText text(files, static_cast<int64_t>(tokenisers.size()));
  while (text.next()) {
    const std::string reference(text.fields().back());
    references_.push_back(options_.valid_undo_bpe ? data::undo_bpe(reference) : reference);
  }
}

double Validator::cross_entropy(const infer::Session& session) const {
  const data::BatchPlan plan = data::evaluation_plan(*corpus_, kLimits);
  double nll = 0;
  int64_t targets = 0;
  for (int64_t b = 0; b < plan.size(); ++b) {
    const data::Batch batch = corpus_->batch(plan[b]);
    nn::Context context;
    const ops::Loss loss = session.model.loss(batch, 0, {}, context);
    nll += loss.nll;
    targets += batch.target().rows() - loss.left_out;
  }
  return nll / static_cast<double>(std::max<int64_t>(1, targets));
}

std::vector<std::string> Validator::translate(const infer::Session& session) const {
  data::Tokens sources;
  for (int64_t s = 0; s < corpus_->size(); ++s) {
    sources.add(corpus_->ids(0, s), session.source().end_id());
  }
  decode::DecodeOptions how;
  how.beam_size = options_.valid_beam_size;
  const decode::Demands demands{.forbidden = {session.target().unknown_id()}};
  std::vector<std::string> out;
  for (const decode::NBest& found : decode::decode(session.model, sources, how, demands)) {
    const std::string text = session.target().decode(found.front().tokens);
    out.push_back(options_.valid_undo_bpe ? data::undo_bpe(text) : text);
  }
  return out;
}

std::vector<Measure> Validator::measure(const infer::Session& session) const {
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
  std::vector<Measure> out;
  for (const std::string& metric : options_.valid_metrics) out.push_back({metric, value(metric)});
  return out;
}

}  // namespace weft::train
