#include "weft/predict/translation/pair_scorer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "weft/data/corpus/corpus_chunk.h"

namespace weft::predict {
namespace {

// The first `most` tokens of a text. Returns whether there were more.
bool encode_cropped(const data::Tokeniser& tokeniser, const std::string& text, int64_t most,
                    std::vector<int32_t>& out) {
  out = tokeniser.encode(text);
  const bool is_cropped = std::ssize(out) > most;
  if (is_cropped) out.resize(static_cast<size_t>(most));
  return is_cropped;
}

std::optional<Fault> fault_of_pair(const TextPair& pair) {
  if (std::optional<Fault> fault = fault_of_text({pair.source})) return fault;
  return fault_of_text({pair.target});
}

}  // namespace

Prepared<PairScorer::Request> PairScorer::prepare(std::span<const TextPair> pairs,
                                                  Report& report) const {
  const auto [source, target] = session_->model.options.longest_pair();
  Prepared<Request> out(pairs.size(), report);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::optional<Fault> fault = fault_of_pair(pairs[i]);
    Request request{.bytes = std::ssize(pairs[i].target)};
    if (!fault) {
      const bool source_is_cropped =
          encode_cropped(session_->source(), pairs[i].source, std::min(source, options_.max_length),
                         request.source);
      const bool target_is_cropped =
          encode_cropped(session_->target(), pairs[i].target, std::min(target, options_.max_length),
                         request.target);
      if (source_is_cropped || target_is_cropped) report.add(Note::kCropped);
    }
    out.add(i, std::move(request), fault, report);
  }
  return out;
}

std::vector<PairScorer::Answer> PairScorer::run(std::span<const Request> requests) const {
  if (requests.empty()) return {};
  data::ChunkBuilder chunk(2);
  for (size_t i = 0; i < requests.size(); ++i) {
    chunk.add(static_cast<int64_t>(i), std::vector{requests[i].source, requests[i].target});
  }
  const data::CorpusText text{
      .parts = {data::CorpusFiles()}, .tokenisers = session_->tokenisers, .limits = {}};
  const data::Corpus corpus(text, chunk.take());
  const std::vector<SentenceScore> scores = score(session_->model, corpus, options_.rows);
  std::vector<Answer> out;
  for (size_t i = 0; i < requests.size(); ++i) out.push_back({scores[i], requests[i].bytes});
  return out;
}

std::vector<ScoredText> PairScorer::finish(const Prepared<Request>& prepared,
                                           std::span<Answer> answers, Report& report) const {
  std::vector<ScoredText> out;
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> scored) {
    ScoredText& pair = out.emplace_back();
    pair.fault = prepared.inputs[i].fault;
    if (pair.fault) return;
    const auto& [score, bytes] = scored.front();
    if (std::isnan(score.log_probability)) {
      pair.fault = prepared.not_finite(i, report);
      return;
    }
    pair.scores = {
        {.log_probability = score.log_probability, .tokens = score.tokens, .bytes = bytes}};
  });
  return out;
}

}  // namespace weft::predict
