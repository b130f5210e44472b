#include "weft/decode/options.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/decode/request.h"
#include "weft/decode/search/length_penalty.h"
#include "weft/options/option_table.h"

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

}  // namespace

void DecodeOptions::validate() const {
  options::check_scopes(*this);
  make_length_penalty(*this);
  sampling.validate();
  if (min_length >= max_output_length) {
    fail<OptionError>("--min-length",
                      "expected less than --max-output-length, {} with the end symbol; got {}",
                      max_output_length, min_length);
  }
}

void check_model(const DecodeOptions& options, const models::GenerationKinds& generation) {
  constexpr std::string_view kOwner = "a model of ";
  const auto* parallel = generation.get_if<models::Parallel>();
  std::vector<options::Selected> selected = {{"generation", {generation.name()}, kOwner}};
  if (parallel != nullptr) {
    selected.push_back({"length-from", {parallel->length_from.name()}, kOwner});
  }
  options::check_scopes(options, selected);
}

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

}  // namespace weft::decode
