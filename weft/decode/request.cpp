#include "weft/decode/request.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "weft/core/error.h"

namespace weft::decode {
namespace {

constexpr int64_t kMost = 1'000'000'000;

void check_range(std::string_view field, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return;
  fail<OptionError>("request", "{} is {}; expected {} to {}", field, value, least, most);
}

void check_number(std::string_view field, double value, double least) {
  if (std::isfinite(value) && value >= least) return;
  fail<OptionError>("request", "{} is {}; expected a number of at least {}", field, value, least);
}

void check_ids(std::string_view field, std::span<const int32_t> ids, int64_t vocabulary) {
  for (const int32_t id : ids) {
    if (id >= 0 && id < vocabulary) continue;
    fail<OptionError>("request", "{} has the token {}; expected 0 to {}", field, id,
                      vocabulary - 1);
  }
}

void check_source(const Request& r, const ModelTraits& model) {
  if (!model.reads_source) {
    if (r.source.empty() && !r.memory) return;
    fail<OptionError>("request",
                      "has a source; expected a prompt alone, as the model reads no more");
  }
  if (model.source_vocabulary == 0) {
    if (r.memory && r.memory.rows() > 0 && r.source.empty()) return;
    fail<OptionError>("request",
                      "expected memory in place of a source: the model's encoder reads vectors");
  }
  if (r.memory && r.memory.rows() != std::ssize(r.source)) {
    fail<OptionError>("request", "memory has {} rows; expected one for each of {} source tokens",
                      r.memory.rows(), r.source.size());
  }
  if (r.source.empty()) {
    fail<OptionError>("request", "source is empty; expected tokens, the end symbol at least");
  }
  check_ids("source", r.source, model.source_vocabulary);
  if (std::ssize(r.source) > model.source_capacity) {
    fail<OptionError>("request", "source has {} tokens; expected at most {}, as the model holds",
                      r.source.size(), model.source_capacity);
  }
}

void check_lengths(const Request& r, const ModelTraits& model) {
  const int64_t before = r.prompt.empty() ? 0 : std::ssize(r.prompt) - 1;
  if (before >= model.target_capacity) {
    fail<OptionError>("request", "prompt has {} tokens; expected at most {}, as the model holds",
                      r.prompt.size(), model.target_capacity);
  }
  check_range("length_limit", r.length_limit, 1, std::min(model.target_capacity - before, kMost));
  check_range("min_length", r.min_length, 0, r.length_limit);
  if (std::ssize(r.prefix) > r.length_limit) {
    fail<OptionError>("request", "prefix has {} tokens; expected at most length_limit, {}",
                      r.prefix.size(), r.length_limit);
  }
}

void check_beam(const Request& r, const ModelTraits& model) {
  check_range("beam.size", r.beam.size, 1, kMost);
  check_range("beam.n_best", r.beam.n_best, 1, r.beam.size);
  check_range("beam.top_tokens", r.beam.top_tokens, 0, kMost);
  if (const auto* power = std::get_if<PowerPenalty>(&r.beam.penalty.kind)) {
    check_number("beam.penalty", power->alpha, 0);
  }
  if (const auto* wu = std::get_if<WuPenalty>(&r.beam.penalty.kind)) {
    check_number("beam.penalty", wu->alpha, 0);
  }
  check_number("beam.coverage_penalty", r.beam.coverage_penalty, 0);
  if (r.beam.coverage_penalty != 0 && !model.has_attention) {
    fail<OptionError>("request", "beam.coverage_penalty is for models that attend to the source");
  }
  if (r.streams && r.beam.n_best != 1) {
    fail<OptionError>("request", "streams contradicts beam.n_best {}; expected 1 with it",
                      r.beam.n_best);
  }
}

void check_sampling(const Request& r) {
  if (!r.sampling) return;
  if (!r.constraints.empty()) {
    fail<OptionError>("request", "constraints contradict sampling; expected one of them");
  }
  for (const SamplingLink& link : r.sampling->chain) {
    std::visit([](const auto& which) { which.check(); }, link);
  }
}

void check_stop(const Request& r) {
  if (r.stop.strings.empty()) return;
  if (!r.stop.detokenise) {
    fail<OptionError>("request", "stop.strings without stop.detokenise; expected both");
  }
  if (std::ranges::count(r.stop.strings, "") > 0) {
    fail<OptionError>("request", "a string of stop.strings is empty");
  }
}

void check(const RepetitionPenalty& params, const Request&, int64_t) {
  check_number("processors.repetition_penalty", params.factor, 0);
}

void check(const NoRepeatNgram& params, const Request&, int64_t) {
  check_range("processors.no_repeat_ngram", params.size, 1, kMost);
}

void check(const BannedPhrases& params, const Request& r, int64_t vocabulary) {
  for (const Phrase& banned : *params.phrases) {
    if (banned.empty()) fail<OptionError>("request", "an empty phrase is banned");
    check_ids("processors.banned_phrases", banned, vocabulary);
    for (const Phrase& phrase : r.constraints.phrases()) {
      if (std::search(phrase.begin(), phrase.end(), banned.begin(), banned.end()) == phrase.end()) {
        continue;
      }
      fail<OptionError>("request", "a phrase of constraints holds a banned one");
    }
  }
}

void check(const LogitBias& params, const Request&, int64_t vocabulary) {
  for (const auto& [token, bias] : params.biases) {
    check_ids("processors.logit_bias", std::span(&token, 1), vocabulary);
    if (std::abs(bias) <= LogitBias::kMost || bias == kNever) continue;
    fail<OptionError>("request", "processors.logit_bias of token {} is {}; expected -{} to {}",
                      token, bias, LogitBias::kMost, LogitBias::kMost);
  }
}

void check(const TokenPenalties& params, const Request&, int64_t) {
  constexpr double kLeast = 1e-6, kMostSubtracted = 1e6;
  check_number("processors.token_penalties.repetition", params.repetition, kLeast);
  check_number("processors.token_penalties.frequency", params.frequency, -kMostSubtracted);
  check_number("processors.token_penalties.presence", params.presence, -kMostSubtracted);
  check_range("processors.token_penalties.last_n", params.last_n, 1, kMost);
}

void check(const Dry& params, const Request&, int64_t) {
  check_number("processors.dry.multiplier", params.options.multiplier, 0);
  check_number("processors.dry.base", params.options.base, 1);
  check_range("processors.dry.allowed_length", params.options.allowed_length, 1, kMost);
  check_range("processors.dry.last_n", params.options.last_n, 1, kMost);
  if (!params.options.sequence_breakers.empty() && !params.text_of) {
    fail<OptionError>("request", "processors.dry has sequence_breakers without text_of");
  }
}

void check_allowed(const Request& r, const ModelTraits& model) {
  if (r.allowed.empty()) return;
  check_ids("allowed", r.allowed, model.target_vocabulary);
  if (std::ranges::adjacent_find(r.allowed, std::greater_equal()) != r.allowed.end()) {
    fail<OptionError>("request", "allowed is not in rising order; expected each token once");
  }
  const auto check_has = [&](std::string_view field, std::span<const int32_t> ids) {
    for (const int32_t id : ids) {
      if (std::ranges::binary_search(r.allowed, id)) continue;
      fail<OptionError>("request", "allowed lacks the token {} of {}", id, field);
    }
  };
  check_has("the end symbols", end_ids(r, model));
  check_has("prefix", r.prefix);
  for (const Phrase& phrase : r.constraints.phrases()) check_has("constraints", phrase);
}

}  // namespace

void check_request(const Request& r, const ModelTraits& model) {
  check_source(r, model);
  check_lengths(r, model);
  check_beam(r, model);
  check_sampling(r);
  check_stop(r);
  check_ids("prompt", r.prompt, model.target_vocabulary);
  check_ids("prefix", r.prefix, model.target_vocabulary);
  check_ids("draft_text", r.draft_text, model.target_vocabulary);
  check_ids("end_ids", r.end_ids, model.target_vocabulary);
  check_ids("forbidden", r.forbidden, model.target_vocabulary);
  for (const Phrase& phrase : r.constraints.phrases()) {
    check_ids("constraints", phrase, model.target_vocabulary);
  }
  for (const LogitsProcessor& processor : r.processors) {
    std::visit([&](const auto& params) { check(params, r, model.target_vocabulary); }, processor);
  }
  check_allowed(r, model);
}

std::vector<int32_t> end_ids(const Request& request, const ModelTraits& model) {
  std::vector<int32_t> out = request.end_ids;
  if (std::ranges::count(out, model.end_id) == 0) out.insert(out.begin(), model.end_id);
  return out;
}

}  // namespace weft::decode
