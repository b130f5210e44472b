#include "weft/decode/search/beam.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace weft::decode {

// Equals are in a fixed order too.
bool Beam::is_better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
}

// The best continuations, one for each slot that no ended hypothesis has.
void Beam::collect(const NextTokens& tokens, int64_t first_row) {
  candidates_.clear();
  for (int64_t i = 0; i < width(); ++i) {
    for (const ScoredToken& next : tokens.row(first_row + i)) {
      candidates_.push_back({live_[i].log_probability + next.log_probability,
                             static_cast<int32_t>(i), next.token, next.log_probability});
    }
  }
  const size_t slots = static_cast<size_t>(options_->size) - ended_.size();
  if (!constraints_->empty()) {
    add_constrained(tokens, first_row);
    divide(slots);
  }
  const size_t count = std::min(slots, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count),
                    candidates_.end(), is_better);
  candidates_.resize(count);
}

// Adds the tokens that continue phrases to the most probable ones.
void Beam::add_constrained(const NextTokens& tokens, int64_t first_row) {
  for (int64_t i = 0; i < width(); ++i) {
    const std::span<const ScoredToken> row = tokens.row(first_row + i);
    std::vector<int32_t> wanted = constraints_->wanted(live_[i].progress);
    std::ranges::sort(wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const int32_t token : wanted) {
      const double log_p = tokens.log_probability(first_row + i, token);
      const bool is_there = std::ranges::count(row, token, &ScoredToken::token) > 0;
      if (!std::isfinite(log_p) || is_there) continue;
      candidates_.push_back(
          {live_[i].log_probability + log_p, static_cast<int32_t>(i), token, log_p});
    }
  }
}

// Keeps one candidate a slot: the best one of each group that lacks the same number of tokens, then
// the second best of each, and so on. Candidates that have too few steps left come last.
void Beam::divide(size_t slots) {
  for (Candidate& c : candidates_) {
    const Constraints::Progress& before = live_[c.parent].progress;
    c.missing =
        constraints_->missing(is_end(c.token) ? before : constraints_->after(before, c.token));
  }
  std::ranges::sort(candidates_, is_better);
  std::vector<int64_t> counts(static_cast<size_t>(constraints_->tokens()) + 1, 0);
  std::vector<std::tuple<bool, int64_t, int64_t, size_t>> order;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const int64_t missing = candidates_[i].missing;
    const bool is_late = missing > 0 && steps_ + 1 + missing + 1 > ends_.limit;
    order.emplace_back(is_late, counts[missing]++, missing, i);
  }
  std::ranges::sort(order);
  order.resize(std::min(slots, order.size()));
  std::vector<Candidate> kept;
  kept.reserve(order.size());
  for (const auto& entry : order) kept.push_back(candidates_[std::get<3>(entry)]);
  candidates_ = std::move(kept);
}

template <class Get>
auto Beam::path(int32_t node, const Get& get) const {
  std::vector<decltype(get(node))> out;
  for (; node >= 0; node = nodes_[node].parent) out.push_back(get(node));
  std::ranges::reverse(out);
  return out;
}

std::vector<int32_t> Beam::spell(int32_t node) const {
  return path(node, [&](int32_t i) { return nodes_[i].token; });
}

std::vector<double> Beam::token_scores(int32_t node) const {
  return path(node, [&](int32_t i) { return nodes_[i].log_probability; });
}

std::vector<std::vector<ScoredToken>> Beam::top_tokens(int32_t node) const {
  if (options_->top_tokens == 0) return {};
  return path(node, [&](int32_t i) { return top_tokens_[i]; });
}

void Beam::finish(const Live& live, End end) {
  const double score = options_->penalty.score(live.log_probability, std::max<int64_t>(steps_, 1)) +
                       coverage_penalty(options_->coverage_penalty, live.coverage);
  const bool is_complete = constraints_->missing(live.progress) == 0;
  const auto position =
      std::upper_bound(ended_.begin(), ended_.end(), score, [&](double s, const Hypothesis& other) {
        return is_complete != other.is_complete ? is_complete : s > other.score;
      });
  std::vector<int32_t> tokens = spell(live.node);
  if (end == End::kSymbol) tokens.pop_back();
  ended_.insert(position, {.tokens = std::move(tokens),
                           .log_probability = live.log_probability,
                           .score = score,
                           .ended = end != End::kCutOff,
                           .is_complete = is_complete,
                           .token_scores = token_scores(live.node),
                           .top_tokens = top_tokens(live.node),
                           .stopped_at = live.stopped_at});
}

// The live hypotheses are returned as they are.
void Beam::finish_all() {
  for (const Live& live : live_) finish(live, End::kCutOff);
  live_.clear();
}

void Beam::extend(const Live& before, const Candidate& by, std::span<const float> attention,
                  std::vector<Live>& next) {
  const bool ends = is_end(by.token);
  nodes_.push_back({by.token, before.node, by.token_log_probability});
  Live live{.node = static_cast<int32_t>(nodes_.size()) - 1,
            .parent = by.parent,
            .log_probability = by.log_probability,
            .progress = ends ? before.progress : constraints_->after(before.progress, by.token)};
  if (!attention.empty()) live.coverage = covered(before.coverage, attention);
  if (ends) return finish(live, End::kSymbol);
  if (ends_.stop != nullptr && !ends_.stop->strings.empty()) {
    live.stopped_at = ends_.stop->find(spell(live.node));
  }
  if (live.stopped_at) return finish(live, End::kStopString);
  next.push_back(std::move(live));
}

void Beam::take_step(std::vector<Live> next) {
  live_ = std::move(next);
  if (steps_ >= ends_.limit) finish_all();
  if (!live_.empty() && !can_win(live_.front())) live_.clear();
}

void Beam::advance(const NextTokens& tokens, int64_t first_row, const SourceWeights* attention) {
  collect(tokens, first_row);
  if (candidates_.empty()) {
    if (ended_.empty()) finish_all();
    live_.clear();
    return;
  }
  ++steps_;
  std::vector<Live> next;
  for (const Candidate& c : candidates_) {
    if (options_->top_tokens > 0) {
      top_tokens_.push_back(tokens.most_probable(first_row + c.parent, options_->top_tokens));
    }
    extend(live_[c.parent], c,
           attention != nullptr ? attention->of(first_row + c.parent) : std::span<const float>(),
           next);
  }
  take_step(std::move(next));
}

void Beam::force(int32_t token, double log_probability, std::span<const float> attention) {
  if (!std::isfinite(log_probability)) return finish_all();
  ++steps_;
  std::vector<Live> next;
  for (size_t i = 0; i < live_.size(); ++i) {
    if (options_->top_tokens > 0) top_tokens_.emplace_back();
    extend(live_[i],
           {live_[i].log_probability + log_probability, static_cast<int32_t>(i), token,
            log_probability},
           attention, next);
  }
  take_step(std::move(next));
}

// The log-probability only falls, the length penalty never falls with the length, and the coverage
// penalty is at most 0: no continuation scores above the present log-probability at the longest
// length. Of equal scores the one that ended first is the better.
bool Beam::can_win(const Live& live) const {
  if (!options_->early_exit || std::ssize(ended_) < options_->n_best) return true;
  return ended_[options_->n_best - 1].score <
         options_->penalty.score(live.log_probability, ends_.limit);
}

std::vector<int32_t> Beam::stable_prefix() const {
  std::optional<std::vector<int32_t>> common;
  const auto intersect = [&](const std::vector<int32_t>& tokens) {
    if (!common) common = tokens;
    common->erase(std::ranges::mismatch(*common, tokens).in1, common->end());
  };
  if (!ended_.empty()) intersect(ended_.front().tokens);
  for (const Live& live : live_) {
    if (can_win(live)) intersect(spell(live.node));
  }
  return common.value_or(std::vector<int32_t>());
}

NBest Beam::take() {
  if (static_cast<int64_t>(ended_.size()) > options_->n_best) {
    ended_.resize(static_cast<size_t>(options_->n_best));
  }
  return std::move(ended_);
}

}  // namespace weft::decode
