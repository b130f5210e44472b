#include "weft/decode/score.h"

#include <numeric>

#include "weft/data/batcher.h"

namespace weft::decode {

std::vector<SentenceScore> score(const models::Seq2Seq& model, const data::Corpus& corpus,
                                 int64_t words) {
  std::vector<SentenceScore> out(static_cast<size_t>(corpus.size()));
  const data::BatchPlan plan = data::evaluation_plan(corpus, {.words = words, .sentences = 0});
  for (int64_t b = 0; b < plan.size(); ++b) {
    const data::Batch batch = corpus.batch(plan[b]);
    const std::vector<double> tokens = model.token_log_probabilities(batch);
    const std::vector<int32_t>& offsets = batch.target().offsets;
    for (int64_t s = 0; s < batch.sentences(); ++s) {
      const auto begin = tokens.begin() + offsets[s], end = tokens.begin() + offsets[s + 1];
      out[batch.lines[s]] = {std::accumulate(begin, end, 0.0), end - begin};
    }
  }
  return out;
}

}  // namespace weft::decode
