#include "weft/train/validator.h"

#include <cmath>

#include "weft/data/batcher.h"
#include "weft/data/parallel_text.h"
#include "weft/metrics/bleu.h"
#include "weft/metrics/chrf.h"

namespace weft::train {
namespace {

constexpr data::BatchLimits kLimits{.words = 4096, .sentences = 0};

}  // namespace

bool is_loss(std::string_view metric) {
  return metric == "cross-entropy" || metric == "perplexity";
}

Validator::Validator(const ValidationOptions& options, const data::DataOptions& data,
                     const std::vector<data::TokeniserPtr>& tokenisers)
    : options_(options) {
  const data::CorpusFiles files{options.valid_sets, data.tsv};
  corpus_ = std::make_unique<data::Corpus>(std::vector{files}, tokenisers,
                                           data::CorpusLimits{.keep_all = true});
  data::ParallelText text(files, static_cast<int64_t>(tokenisers.size()));
  while (text.next()) {
    sources_.emplace_back(text.sides().front());
    references_.emplace_back(text.sides().back());
  }
}

double Validator::cross_entropy(const infer::Session& session) const {
  const data::BatchPlan plan = data::evaluation_plan(*corpus_, kLimits);
  double nll = 0;
  int64_t targets = 0;
  for (int64_t b = 0; b < plan.size(); ++b) {
    const data::Batch batch = corpus_->batch(plan[b]);
    nn::Context context;
    ops::LossSums sums;
    session.model.loss(batch, 0, {}, sums, context);
    nll += sums.nll;
    targets += batch.target().rows();
  }
  return nll / static_cast<double>(targets);
}

std::vector<Measure> Validator::measure(const infer::Session& session) const {
  std::vector<Measure> out;
  for (const std::string& metric : options_.valid_metrics) {
    const double loss = is_loss(metric) ? cross_entropy(session) : 0;
    out.push_back({metric, metric == "perplexity" ? std::exp(loss) : loss});
  }
  return out;
}

}  // namespace weft::train
