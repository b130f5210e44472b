#include "weft/decode/sentences.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/decode/search/non_autoregressive.h"

namespace weft::decode {
namespace {

constexpr double kLengthFactor = 3;  // --max-length-factor auto

uint64_t hash_of(std::span<const int32_t> ids) {
  Hash h;
  for (const int32_t id : ids) h.add(static_cast<uint32_t>(id));
  return h.value();
}

std::optional<Sampling> sampling_of(const SamplingOptions& options,
                                    std::span<const int32_t> source) {
  if (!options.is_on()) return std::nullopt;
  return Sampling{.chain = options.chain(),
                  .seed = static_cast<uint64_t>(options.seed),
                  .stream = hash_of(source)};
}

void set_lengths(const DecodeOptions& options, const ModelTraits& model, Request& r) {
  const int64_t capacity = model.target_capacity;
  const int64_t held = std::ssize(r.prefix) + r.constraints.tokens();
  const int64_t least = std::max(options.min_length, held) + 1;
  const int64_t most = output_limit(options, r.source_rows(), {capacity, model.trained_lengths});
  r.length_limit = std::min(capacity, std::max(least, most));
  r.min_length = std::min(options.min_length, r.length_limit);
  const auto limit = static_cast<size_t>(r.length_limit);
  if (r.prefix.size() > limit) r.prefix.resize(limit);
}

std::vector<NBest> decode_at_once(const models::Seq2Seq& model, const data::Tokens& sources,
                                  const DecodeOptions& options,
                                  const std::vector<int32_t>& forbidden) {
  std::vector<NBest> out;
  for (Hypothesis& h : decode_non_autoregressive(model, sources, options, forbidden)) {
    out.push_back({std::move(h)});
  }
  return out;
}

// The same where the scores of some are not finite.
std::vector<NBest> decode_one_by_one(const models::Seq2Seq& model, const data::Tokens& sources,
                                     const DecodeOptions& options,
                                     const std::vector<int32_t>& forbidden) {
  std::vector<NBest> out;
  for (int64_t s = 0; s < sources.examples(); ++s) {
    data::Tokens one;
    one.add(sources[s]);
    try {
      out.push_back(decode_at_once(model, one, options, forbidden).front());
    } catch (const NumericError&) {
      out.push_back(not_finite_result());
    }
  }
  return out;
}

}  // namespace

int64_t output_limit(const DecodeOptions& options, int64_t source_tokens,
                     const LengthLimits& model) {
  const auto source = static_cast<double>(source_tokens);
  double tokens = std::floor(options.max_length_factor.value_or(kLengthFactor) * source);
  if (!options.max_length_factor) {
    const double trained = std::min(std::ceil(model.trained.ratio * source),
                                    static_cast<double>(model.trained.longest));
    tokens = std::max(tokens, trained);
  }
  return std::clamp<int64_t>(std::llround(std::min(tokens, 1e9)), 1,
                             std::min(model.capacity, options.max_output_length));
}

void apply_options(const DecodeOptions& options, const ModelTraits& model, Request& r) {
  const bool wants_one = options.sampling.is_on() && !options.n_best;
  r.beam = {.size = wants_one ? 1 : options.beam_size,
            .n_best = options.n_best ? options.beam_size : 1,
            .penalty = make_length_penalty(options),
            .coverage_penalty = options.coverage_penalty};
  r.sampling = sampling_of(options.sampling, r.source);
  // A begin symbol inside a sentence would be lost in its text.
  if (model.begin_id != model.end_id) r.forbidden.push_back(model.begin_id);
  if (options.repetition_penalty != 1) {
    r.processors.emplace_back(RepetitionPenalty{options.repetition_penalty});
  }
  if (options.no_repeat_ngram_size > 0) {
    r.processors.emplace_back(NoRepeatNgram{options.no_repeat_ngram_size});
  }
  set_lengths(options, model, r);
}

std::vector<NBest> decode(const Models& models, const data::Tokens& sources,
                          const DecodeOptions& options, const std::vector<int32_t>& forbidden) {
  check_ensemble(models, options.weights);
  const models::Seq2Seq& first = models.front();
  if (!first.options.is_left_to_right()) {
    try {
      return decode_at_once(first, sources, options, forbidden);
    } catch (const NumericError&) {
      return decode_one_by_one(first, sources, options, forbidden);
    }
  }
  std::vector<Request> requests;
  for (int64_t s = 0; s < sources.examples(); ++s) {
    const std::span<const int32_t> source = sources[s];
    requests.push_back({.source = {source.begin(), source.end()}, .forbidden = forbidden});
  }
  return decode(models, std::move(requests), options);
}

std::vector<NBest> decode(const Models& models, std::vector<Request> requests,
                          const DecodeOptions& options, const OnStablePrefix& on_stable_prefix) {
  const std::unique_ptr<StepModel> model = step_model(models, options.weights);
  return decode(*model, std::move(requests), options, on_stable_prefix);
}

std::vector<NBest> decode(StepModel& model, std::vector<Request> requests,
                          const DecodeOptions& options, const OnStablePrefix& on_stable_prefix) {
  std::vector<int64_t> order(requests.size());  // the longest source first
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](int64_t r) { return requests[r].source.size(); });
  std::vector<Request> sorted;
  for (const int64_t r : order) {
    sorted.push_back(std::move(requests[r]));
    apply_options(options, model.traits(), sorted.back());
  }
  OnStablePrefix in_order;
  if (on_stable_prefix) {
    in_order = [&](StablePrefix decided) {
      decided.request = order[static_cast<size_t>(decided.request)];
      on_stable_prefix(decided);
    };
  }
  std::vector<NBest> found =
      search(model, std::move(sorted), {.slots = options.mini_batch}, in_order);
  std::vector<NBest> out(order.size());
  for (size_t i = 0; i < order.size(); ++i) out[order[i]] = std::move(found[i]);
  return out;
}

}  // namespace weft::decode
