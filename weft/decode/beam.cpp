#include "weft/decode/beam.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace weft::decode {

// A fixed order also among equals.
bool Beam::is_better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
}

// The best continuations, as many as there are free places.
void Beam::collect(const NextTokens& tokens, int64_t first_row) {
  candidates_.clear();
  for (int64_t i = 0; i < width(); ++i) {
    for (const ScoredToken& next : tokens.row(first_row + i)) {
      candidates_.push_back({live_[i].log_probability + next.log_probability,
                             static_cast<int32_t>(i), next.token, next.log_probability});
    }
  }
  const size_t places = static_cast<size_t>(rules_->size) - ended_.size();
  if (!constraints_->empty()) {
    add_wanted(tokens, first_row);
    deal_out(places);
  }
  const size_t count = std::min(places, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count),
                    candidates_.end(), is_better);
  candidates_.resize(count);
}

// The tokens that go on with phrases, beside the most probable ones.
void Beam::add_wanted(const NextTokens& tokens, int64_t first_row) {
  for (int64_t i = 0; i < width(); ++i) {
    const std::span<const ScoredToken> row = tokens.row(first_row + i);
    std::vector<int32_t> wanted = constraints_->wanted(live_[i].progress);
    std::ranges::sort(wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const int32_t token : wanted) {
      const double own = tokens.log_probability(first_row + i, token);
      if (!std::isfinite(own) || std::ranges::count(row, token, &ScoredToken::token) > 0) continue;
      candidates_.push_back({live_[i].log_probability + own, static_cast<int32_t>(i), token, own});
    }
  }
}

// Leaves as many candidates as there are places: of those that lack as many tokens the best one
// each, then the second best, and so on, as long as there is time to complete them.
void Beam::deal_out(size_t places) {
  for (Candidate& c : candidates_) {
    const Constraints::Progress& before = live_[c.parent].progress;
    c.missing = constraints_->missing(
        c.token == rules_->end_id ? before : constraints_->after(before, c.token));
  }
  std::ranges::sort(candidates_, is_better);
  std::vector<int64_t> counts(static_cast<size_t>(constraints_->tokens()) + 1, 0);
  std::vector<std::tuple<bool, int64_t, int64_t, size_t>> order;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const int64_t missing = candidates_[i].missing;
    const bool is_late = missing > 0 && steps_ + 1 + missing + 1 > limit_;
    order.emplace_back(is_late, counts[missing]++, missing, i);
  }
  std::ranges::sort(order);
  order.resize(std::min(places, order.size()));
  std::vector<Candidate> kept;
  kept.reserve(order.size());
  for (const auto& place : order) kept.push_back(candidates_[std::get<3>(place)]);
  candidates_ = std::move(kept);
}

std::vector<int32_t> Beam::spell(int32_t node) const {
  std::vector<int32_t> tokens;
  for (; node >= 0; node = nodes_[node].before) tokens.push_back(nodes_[node].token);
  std::reverse(tokens.begin(), tokens.end());
  return tokens;
}

std::vector<double> Beam::token_scores(int32_t node) const {
  std::vector<double> scores;
  for (; node >= 0; node = nodes_[node].before) scores.push_back(nodes_[node].log_probability);
  std::reverse(scores.begin(), scores.end());
  return scores;
}

void Beam::end(const Live& live, bool ended) {
  const double score = rules_->penalty.score(live.log_probability, std::max<int64_t>(steps_, 1)) +
                       coverage_penalty(rules_->coverage_penalty, live.coverage);
  const bool is_complete = constraints_->missing(live.progress) == 0;
  const auto place =
      std::upper_bound(ended_.begin(), ended_.end(), score, [&](double s, const Hypothesis& other) {
        return is_complete != other.is_complete ? is_complete : s > other.score;
      });
  std::vector<int32_t> tokens = spell(live.node);
  if (ended) tokens.pop_back();
  ended_.insert(place, {.tokens = std::move(tokens),
                        .log_probability = live.log_probability,
                        .score = score,
                        .ended = ended,
                        .is_complete = is_complete,
                        .token_scores = token_scores(live.node)});
}

// Takes the live hypotheses as they are.
void Beam::end_all() {
  for (const Live& live : live_) end(live, false);
  live_.clear();
}

void Beam::advance(const NextTokens& tokens, int64_t first_row, const SourceWeights* attention) {
  collect(tokens, first_row);
  if (candidates_.empty()) {
    if (ended_.empty()) end_all();
    live_.clear();
    return;
  }
  ++steps_;
  std::vector<Live> next;
  for (const Candidate& c : candidates_) {
    const Live& before = live_[c.parent];
    const bool ends = c.token == rules_->end_id;
    nodes_.push_back({c.token, before.node, c.own});
    Live live{.node = static_cast<int32_t>(nodes_.size()) - 1,
              .parent = c.parent,
              .log_probability = c.log_probability,
              .progress = ends ? before.progress : constraints_->after(before.progress, c.token)};
    if (attention != nullptr) {
      live.coverage = covered(before.coverage, attention->of(first_row + c.parent));
    }
    if (ends) {
      end(live, true);
    } else {
      next.push_back(std::move(live));
    }
  }
  live_ = std::move(next);
  if (steps_ >= limit_) end_all();
  if (rules_->early_exit && !live_.empty() && !can_win(live_.front())) live_.clear();
}

// A log-probability only falls, the penalty never falls with the length and that for coverage is at
// most 0, so that no continuation of a hypothesis scores above its log-probability now at the
// longest length; of equals, the first to end is the better one.
bool Beam::can_win(const Live& live) const {
  if (static_cast<int64_t>(ended_.size()) < rules_->kept) return true;
  return ended_[rules_->kept - 1].score < rules_->penalty.score(live.log_probability, limit_);
}

std::vector<int32_t> Beam::decided() const {
  std::optional<std::vector<int32_t>> common;
  const auto meet = [&](const std::vector<int32_t>& tokens) {
    if (!common) common = tokens;
    common->erase(std::ranges::mismatch(*common, tokens).in1, common->end());
  };
  if (!ended_.empty()) meet(ended_.front().tokens);
  for (const Live& live : live_) {
    if (can_win(live)) meet(spell(live.node));
  }
  return common.value_or(std::vector<int32_t>());
}

NBest Beam::take() {
  if (static_cast<int64_t>(ended_.size()) > rules_->kept) {
    ended_.resize(static_cast<size_t>(rules_->kept));
  }
  return std::move(ended_);
}

}  // namespace weft::decode
