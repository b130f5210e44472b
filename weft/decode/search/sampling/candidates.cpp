#include "weft/decode/search/sampling/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/core/error.h"

namespace weft::decode {
namespace {

// The most tokens that a scan over all logits keeps in order as it goes.
constexpr int64_t kMostScanned = 256;

}  // namespace

bool Candidates::reset(std::span<const float> logits) {
  logits_ = logits;
  is_whole_ = true;
  tokens_.clear();
  top_ = *std::ranges::max_element(logits);
  set_temperature(1);
  return std::isfinite(top_);
}

void Candidates::set_temperature(double temperature) {
  temperature_ = temperature;
  is_weighed_ = false;
}

template <class Visit>
void Candidates::for_each(const Visit& visit) const {
  if (!is_whole_) {
    for (const Token& t : tokens_) visit(t.logit, t.column);
    return;
  }
  for (size_t v = 0; v < logits_.size(); ++v) {
    if (std::isfinite(logits_[v])) visit(logits_[v], static_cast<int32_t>(v));  // not forbidden
  }
}

std::span<const Candidates::Token> Candidates::tokens() {
  if (is_whole_) {
    for_each([&](float logit, int32_t column) { tokens_.push_back({logit, column, 0}); });
    is_whole_ = false;
  }
  return tokens_;
}

double Candidates::weigh() {
  double sum = 0;
  tokens();
  for (Token& t : tokens_) {
    if (!is_weighed_) t.weight = std::exp(double{t.logit - top_} / temperature_);
    sum += t.weight;
  }
  is_weighed_ = true;
  return sum;
}

double Candidates::largest_logit() const {
  float largest = -std::numeric_limits<float>::infinity();
  for_each([&](float logit, int32_t) { largest = std::max(largest, logit); });
  return largest;
}

double Candidates::logit_deviation() const {
  double sum = 0, squares = 0, count = 0;
  for_each([&](float logit, int32_t) { sum += logit, ++count; });
  const double mean = sum / count;
  for_each([&](float logit, int32_t) { squares += (logit - mean) * (logit - mean); });
  return std::sqrt(squares / count);
}

void Candidates::keep_best(int64_t count) {
  if (is_whole_ && count <= kMostScanned) {
    best_.resize(static_cast<size_t>(count));
    best_.resize(static_cast<size_t>(top_k(logits_, best_)));
    for (const auto& [logit, column] : best_) tokens_.push_back({logit, column, 0});
    is_whole_ = false;
    return;
  }
  tokens();
  const auto end = tokens_.begin() + std::min(count, std::ssize(tokens_));
  std::partial_sort(tokens_.begin(), end, tokens_.end(), [](const Token& a, const Token& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.column < b.column;
  });
  tokens_.erase(end, tokens_.end());
}

void Candidates::keep_above(double least) {
  if (is_whole_) {
    for_each([&](float logit, int32_t column) {
      if (logit >= least) tokens_.push_back({logit, column, 0});
    });
    is_whole_ = false;
    return;
  }
  std::erase_if(tokens_, [&](const Token& t) { return t.logit < least; });
}

void Candidates::drop_first(int64_t count) {
  tokens_.erase(tokens_.begin(), tokens_.begin() + count);
  top_ = tokens_.front().logit;
  is_weighed_ = false;
}

void check_link(std::string_view name, double value, double least, double most) {
  if (value >= least && value <= most) return;
  fail<OptionError>("request", "sampling.{} is {}; expected {} to {}", name, value, least, most);
}

}  // namespace weft::decode
