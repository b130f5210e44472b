#include "weft/predict/translation/score.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "weft/core/error.h"
#include "weft/data/batcher.h"

namespace weft::predict {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void check_scores_translations(const models::Seq2SeqOptions& options, std::string_view path) {
  if (options.is_left_to_right()) return;
  fail<OptionError>("--model",
                    "{} is a model of --generation {}, which has no probability of a token given "
                    "the previous ones; expected a model of --generation left-to-right",
                    path, options.generation.name());
}

std::vector<SentenceScore> score(const models::Seq2Seq& model, const data::Corpus& corpus,
                                 int64_t words) {
  std::vector<SentenceScore> out(static_cast<size_t>(corpus.size()));
  const data::BatchPlan plan = data::evaluation_plan(corpus, {.rows = words, .examples = 0});
  for (int64_t b = 0; b < plan.size(); ++b) {
    const data::Batch batch = corpus.batch(plan[b]);
    const std::vector<double> tokens = model.token_log_probabilities(batch);
    for (int64_t s = 0; s < batch.size(); ++s) {
      const auto own = batch.target().segments.span(tokens, s);
      const double sum = std::accumulate(own.begin(), own.end(), 0.0);
      out[batch.examples[s]] = {std::isfinite(sum) ? sum : kNoScore, std::ssize(own)};
    }
  }
  return out;
}

}  // namespace weft::predict
