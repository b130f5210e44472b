#include "weft/predict/generation/context_shift.h"

#include <algorithm>

#include "weft/core/hash.h"

namespace weft::predict {
namespace {

using decode::Hypothesis;
using decode::Request;

// A hypothesis that goes on beyond the context.
struct LongHypothesis {
  int64_t request;            // its index
  int64_t number;             // among those of the request
  const Request* first;       // what was asked for
  Hypothesis* found;          // so far
  std::vector<int32_t> read;  // by the model last, and what came of it
};

std::vector<int32_t> joined_tokens(std::span<const int32_t> first,
                                   std::span<const int32_t> second) {
  std::vector<int32_t> out(first.begin(), first.end());
  out.insert(out.end(), second.begin(), second.end());
  return out;
}

int64_t limit_after(std::span<const int32_t> prompt, const ContextShift& shift) {
  return shift.context - std::ssize(prompt);
}

Request next_request(const LongHypothesis& h, const ContextShift& shift) {
  const Request& first = *h.first;
  Request out = first;
  const auto done = std::ssize(h.found->tokens);
  out.prompt = shifted(h.read, shift);
  out.beam.size = out.beam.n_best = 1;
  out.length_limit = std::min(first.length_limit - done, limit_after(out.prompt, shift));
  out.min_length = std::clamp<int64_t>(first.min_length - done, 0, out.length_limit);
  if (out.sampling) {
    Hash hash;
    hash.add(first.sampling->stream);
    hash.add(static_cast<uint64_t>(h.number));
    hash.add(static_cast<uint64_t>(done));
    out.sampling->stream = hash.value();
  }
  if (!first.stop.strings.empty()) {
    out.stop.detokenise = [all = first.stop.detokenise,
                           tokens = h.found->tokens](std::span<const int32_t> more) {
      return all(joined_tokens(tokens, more));
    };
  }
  return out;
}

void append(Hypothesis& to, const Hypothesis& more) {
  to.tokens.insert(to.tokens.end(), more.tokens.begin(), more.tokens.end());
  to.token_scores.insert(to.token_scores.end(), more.token_scores.begin(), more.token_scores.end());
  to.top_tokens.insert(to.top_tokens.end(), more.top_tokens.begin(), more.top_tokens.end());
  to.log_probability += more.log_probability;
  to.score = more.score;
  to.ended = more.ended;
  to.is_finite = more.is_finite;
  to.stopped_at = more.stopped_at;
  to.drafts.drafted += more.drafts.drafted;
  to.drafts.accepted += more.drafts.accepted;
}

bool goes_on(const LongHypothesis& h) {
  return !h.found->ended && h.found->is_finite &&
         std::ssize(h.found->tokens) < h.first->length_limit;
}

}  // namespace

std::vector<int32_t> shifted(std::span<const int32_t> tokens, const ContextShift& shift) {
  const auto keep = static_cast<size_t>(shift.keep);
  const size_t rest = tokens.size() - keep;
  return joined_tokens(tokens.first(keep), tokens.last(rest - rest / 2));
}

std::vector<decode::NBest> search_shifting(decode::StepModel& model, std::vector<Request> requests,
                                           const ContextShift& shift,
                                           const decode::EngineOptions& options,
                                           const decode::OnStablePrefix& on_stable_prefix) {
  std::vector<Request> next = requests;
  for (Request& r : next) r.length_limit = std::min(r.length_limit, limit_after(r.prompt, shift));
  std::vector<LongHypothesis> going;
  // None is known to be the last of a target.
  const auto on_prefix = [&](const decode::StablePrefix& prefix) {
    if (going.empty()) return on_stable_prefix({prefix.request, prefix.tokens, false});
    const LongHypothesis& h = going[prefix.request];
    on_stable_prefix({h.request, joined_tokens(h.found->tokens, prefix.tokens), false});
  };
  const auto run = [&] {
    return decode::search(model, next, options,
                          on_stable_prefix ? on_prefix : decode::OnStablePrefix());
  };
  std::vector<decode::NBest> out = run();
  for (size_t r = 0; r < out.size(); ++r) {
    for (size_t i = 0; i < out[r].size(); ++i) {
      going.push_back({static_cast<int64_t>(r), static_cast<int64_t>(i), &requests[r], &out[r][i],
                       joined_tokens(requests[r].prompt, out[r][i].tokens)});
    }
  }
  for (;;) {
    std::erase_if(going, [](const LongHypothesis& h) { return !goes_on(h); });
    if (going.empty()) return out;
    next.clear();
    for (const LongHypothesis& h : going) next.push_back(next_request(h, shift));
    const std::vector<decode::NBest> found = run();
    for (size_t i = 0; i < going.size(); ++i) {
      going[i].read = joined_tokens(next[i].prompt, found[i].front().tokens);
      append(*going[i].found, found[i].front());
    }
  }
}

}  // namespace weft::predict
