#include "weft/decode/search.h"

#include <algorithm>

#include "weft/decode/top_k.h"

namespace weft::decode {
namespace {

// Where a row of the step stands.
struct RowPlace {
  int32_t sentence;
  const Beam* beam;
  int32_t hypothesis;  // of the live ones of its beam
};

// A beam at work, or none.
struct Place {
  int32_t sentence = -1;
  std::optional<Beam> beam;
};

// The rows of the step at hand; its memory is used again in the next.
class Frontier {
 public:
  Frontier(std::span<const int64_t> limits, const SearchOptions& options,
           std::span<const SentenceRules> rules)
      : limits_(limits), options_(&options), rules_(rules) {
    const auto most = static_cast<int64_t>(limits.size());
    places_.resize(
        static_cast<size_t>(options.places == 0 ? most : std::min(options.places, most)));
    counts_.resize(places_.size());
  }

  // Sentences that wait take free places, once enough are free that encoding them together pays.
  void enter() {
    entered_.clear();
    const int64_t free = std::ranges::count(places_, -1, &Place::sentence);
    if (4 * free < std::ssize(places_)) return;
    for (size_t p = 0; p < places_.size() && waiting_ < std::ssize(limits_); ++p) {
      if (places_[p].sentence >= 0) continue;
      places_[p].sentence = static_cast<int32_t>(waiting_);
      places_[p].beam.emplace(options_->beam, limits_[waiting_],
                              rules_.empty() ? Beam::kUnconstrained : rules_[waiting_].constraints);
      ++waiting_;
      entered_.push_back({static_cast<int32_t>(p), places_[p].sentence});
    }
  }

  // Lists the rows of the next step.
  Step step() {
    ids_.clear();
    parents_.clear();
    rows_.clear();
    for (size_t p = 0; p < places_.size(); ++p) {
      const Place& place = places_[p];
      const int64_t width = place.beam ? place.beam->width() : 0;
      for (int64_t i = 0; i < width; ++i) {
        const bool is_first = place.beam->steps() == 0;
        ids_.push_back(is_first ? options_->begin_id : place.beam->token(i));
        parents_.push_back(is_first ? -1 : first_rows_[p] + place.beam->parent(i));
        rows_.push_back({place.sentence, &*place.beam, static_cast<int32_t>(i)});
      }
      counts_[p] = static_cast<int32_t>(width);
    }
    return {ids_, parents_, counts_, entered_, attention()};
  }

  // Where the model leaves what the step's rows attend to, where that is wanted.
  SourceWeights* attention() {
    return options_->beam.coverage_penalty == 0 ? nullptr : &attention_;
  }

  // Extends every beam by its rows of `tokens`; those that are over give up their places.
  void advance(const NextTokens& tokens, std::vector<NBest>& out) {
    first_rows_.assign(places_.size(), 0);
    int32_t row = 0;
    for (size_t p = 0; p < places_.size(); ++p) {
      first_rows_[p] = row;
      row += counts_[p];
      if (counts_[p] == 0) continue;
      Place& place = places_[p];
      place.beam->advance(tokens, first_rows_[p], attention());
      if (place.beam->width() > 0) {
        if (options_->on_decided) {
          options_->on_decided({place.sentence, place.beam->decided(), false});
        }
        continue;
      }
      NBest& found = out[place.sentence];
      found = place.beam->take();
      if (options_->on_decided) {
        options_->on_decided({place.sentence, found.front().tokens, true});
      }
      place = {};
    }
  }

  std::span<const RowPlace> rows() const { return rows_; }  // of the step

 private:
  std::span<const int64_t> limits_;
  const SearchOptions* options_;
  std::span<const SentenceRules> rules_;
  std::vector<Place> places_;
  int64_t waiting_ = 0;              // the first sentence that waits
  std::vector<int32_t> first_rows_;  // of each place, in the step before
  std::vector<int32_t> ids_, parents_, counts_;
  std::vector<Entered> entered_;
  SourceWeights attention_;
  std::vector<RowPlace> rows_;
};

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
      : options_(&options), rules_(rules), top_(options.is_normalised) {
    if (options.sampling) sampler_.emplace(*options.sampling, options.is_normalised);
    has_rules_ =
        !options.processors.empty() || std::ranges::any_of(rules, [](const SentenceRules& r) {
          return !r.prefix.empty() || !r.constraints.empty();
        });
    has_columns_ =
        std::ranges::any_of(rules, [](const SentenceRules& r) { return !r.allowed.empty(); });
  }

  const NextTokens& choose(const Tensor& logits, std::span<const RowPlace> rows) {
    const auto adjust = [&](int64_t w, TokenScores& scores) {
      if (has_rules_ && follow_prefix(rows[w], scores)) return;
      for (const int32_t token : options_->forbidden) scores.forbid(token);
      if (has_rules_ && !rows[w].beam->is_complete(rows[w].hypothesis)) {
        scores.forbid(options_->beam.end_id);
      }
      if (!options_->processors.empty()) process(rows[w], scores);
    };
    columns_.clear();
    for (size_t w = 0; has_columns_ && w < rows.size(); ++w) {
      columns_.push_back(rules_[rows[w].sentence].allowed);
    }
    if (!sampler_) {
      top_.find(logits, options_->beam.size, adjust, columns_);
      return top_;
    }
    std::vector<Draws> draws;
    draws.reserve(rows.size());
    for (const RowPlace& row : rows) {
      const uint64_t own = rules_.empty() ? 0 : rules_[row.sentence].stream;
      const uint64_t step = row.beam->steps();
      draws.push_back({.stream = mix(mix(own + step) + static_cast<uint64_t>(row.hypothesis)),
                       .count = step == 0 ? options_->beam.size : 1});
    }
    sampler_->find(logits, draws, adjust, columns_);
    return *sampler_;
  }

 private:
  // Leaves nothing but the next token of the sentence's prefix; false behind its end.
  bool follow_prefix(const RowPlace& row, TokenScores& scores) const {
    if (rules_.empty()) return false;
    const std::vector<int32_t>& prefix = rules_[row.sentence].prefix;
    const size_t at = row.beam->steps();
    if (at >= prefix.size()) return false;
    float* const next = scores.find(prefix[at]);
    const float logit = next == nullptr ? kNever : *next;
    std::ranges::fill(scores.logits, kNever);
    if (next != nullptr) *next = logit;
    return true;
  }

  void process(const RowPlace& row, TokenScores& scores) const {
    const std::vector<int32_t> so_far = row.beam->tokens(row.hypothesis);
    for (const LogitsProcessor& processor : options_->processors) {
      std::visit([&](const auto& rule) { rule(so_far, scores); }, processor);
    }
  }

  const SearchOptions* options_;
  std::span<const SentenceRules> rules_;
  bool has_rules_ = false, has_columns_ = false;
  std::vector<std::span<const int32_t>> columns_;  // of the step's rows
  TopK top_;
  std::optional<Sampler> sampler_;
};

}  // namespace

std::vector<NBest> search(const StepModel& model, std::span<const int64_t> limits,
                          const SearchOptions& options, std::span<const SentenceRules> rules) {
  std::vector<NBest> out(limits.size());
  Frontier frontier(limits, options, rules);
  Chooser chooser(options, rules);
  for (;;) {
    frontier.enter();
    const Step step = frontier.step();
    if (step.ids.empty()) return out;
    frontier.advance(chooser.choose(model(step), frontier.rows()), out);
  }
}

}  // namespace weft::decode
