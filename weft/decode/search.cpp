#include "weft/decode/search.h"

#include <algorithm>

#include "weft/decode/top_k.h"

namespace weft::decode {
namespace {

// The rows of the step at hand; its memory is used again in the next.
struct Frontier {
  std::vector<int32_t> ids, parents, counts;

  Frontier(size_t sentences, int32_t begin_id)
      : ids(sentences, begin_id), parents(sentences, 0), counts(sentences, 1) {}
  Step step() const { return {ids, parents, counts}; }
  bool is_empty() const { return ids.empty(); }

  // Extends every beam by its rows of `tokens` and lists what then lives.
  void advance(std::vector<Beam>& beams, const NextTokens& tokens) {
    ids.clear();
    parents.clear();
    int32_t first_row = 0;
    for (size_t s = 0; s < beams.size(); ++s) {
      const int32_t rows = counts[s];
      if (rows > 0) beams[s].advance(tokens, first_row);
      counts[s] = static_cast<int32_t>(beams[s].width());
      for (int64_t i = 0; i < beams[s].width(); ++i) {
        ids.push_back(beams[s].token(i));
        parents.push_back(first_row + beams[s].parent(i));
      }
      first_row += rows;
    }
  }
};

// Where a row of the step stands.
struct Place {
  int32_t sentence;
  int32_t hypothesis;  // of the live ones of its sentence
};

std::vector<Place> places_of(const Step& step) {
  std::vector<Place> out;
  out.reserve(step.ids.size());
  for (size_t s = 0; s < step.counts.size(); ++s) {
    for (int32_t i = 0; i < step.counts[s]; ++i) out.push_back({static_cast<int32_t>(s), i});
  }
  return out;
}

// Mixes well enough that streams of neighbours have nothing in common (splitmix64).
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

// One search: what it was asked, and the tokens found at its step.
class Chooser {
 public:
  Chooser(const SearchOptions& options, std::span<const SentenceRules> rules)
      : options_(&options), rules_(rules) {
    if (options.sampling) sampler_.emplace(*options.sampling);
    has_rules_ = !options.processors.empty() ||
                 std::ranges::any_of(rules, [](const auto& r) { return !r.prefix.empty(); });
  }

  const NextTokens& choose(const Tensor& logits, const Step& step, const std::vector<Beam>& beams) {
    const std::vector<Place> places =
        has_rules_ || sampler_ ? places_of(step) : std::vector<Place>();
    const auto adjust = [&](int64_t w, TokenScores& scores) {
      if (has_rules_ && follow_prefix(places[w], beams, scores)) return;
      for (const int32_t token : options_->forbidden) scores.forbid(token);
      if (!options_->processors.empty()) process(places[w], beams, scores);
    };
    const int64_t step_number = steps_++;
    if (!sampler_) {
      top_.find(logits, options_->beam.size, adjust);
      return top_;
    }
    std::vector<uint64_t> streams;
    streams.reserve(places.size());
    for (const Place& place : places) {
      const uint64_t own = rules_.empty() ? 0 : rules_[place.sentence].stream;
      streams.push_back(mix(mix(own + static_cast<uint64_t>(step_number)) +
                            static_cast<uint64_t>(place.hypothesis)));
    }
    sampler_->find(logits, step_number == 0 ? options_->beam.size : 1, streams, adjust);
    return *sampler_;
  }

 private:
  // Leaves nothing but the next token of the sentence's prefix; false behind its end.
  bool follow_prefix(const Place& place, const std::vector<Beam>& beams,
                     TokenScores& scores) const {
    if (rules_.empty()) return false;
    const std::vector<int32_t>& prefix = rules_[place.sentence].prefix;
    const size_t at = beams[place.sentence].steps();
    if (at >= prefix.size()) return false;
    const float logit = scores.logits[prefix[at]];
    for (size_t v = 0; v < scores.logits.size(); ++v) scores.forbid(static_cast<int32_t>(v));
    scores.logits[prefix[at]] = logit;
    return true;
  }

  void process(const Place& place, const std::vector<Beam>& beams, TokenScores& scores) const {
    const std::vector<int32_t> so_far = beams[place.sentence].tokens(place.hypothesis);
    for (const LogitsProcessor& processor : options_->processors) {
      std::visit([&](const auto& rule) { rule(so_far, scores); }, processor);
    }
  }

  const SearchOptions* options_;
  std::span<const SentenceRules> rules_;
  bool has_rules_ = false;
  int64_t steps_ = 0;
  TopK top_;
  std::optional<Sampler> sampler_;
};

}  // namespace

std::vector<NBest> search(const StepModel& model, std::span<const int64_t> limits,
                          const SearchOptions& options, std::span<const SentenceRules> rules) {
  std::vector<Beam> beams;
  beams.reserve(limits.size());
  for (const int64_t limit : limits) beams.emplace_back(options.beam, limit);
  Frontier frontier(beams.size(), options.begin_id);
  Chooser chooser(options, rules);
  while (!frontier.is_empty()) {
    const Step step = frontier.step();
    frontier.advance(beams, chooser.choose(model(step), step, beams));
  }
  std::vector<NBest> out;
  out.reserve(beams.size());
  for (Beam& beam : beams) out.push_back(beam.take());
  return out;
}

}  // namespace weft::decode
