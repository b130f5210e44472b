#include "weft/decode/sentences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "weft/core/hash.h"
#include "weft/decode/ensemble.h"
#include "weft/decode/non_autoregressive.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/capacity.h"

namespace weft::decode {
namespace {

// Rows are whole blocks of so many columns, the most that a kernel takes at once, so that a sum
// over a row has the same bits however long other sentences make it.
constexpr int64_t kBlock = 64;

std::optional<Sampling> sampling_of(const DecodeOptions& options) {
  const SamplingOptions& sampling = options.sampling;
  if (!sampling.is_on()) return std::nullopt;
  Sampling out;
  out.temperature = sampling.temperature;
  out.seed = static_cast<uint64_t>(sampling.seed);
  if (const auto* best = sampling.kind.get_if<FromTopK>()) out.from = BestTokens{best->tokens};
  if (const auto* nucleus = sampling.kind.get_if<FromTopP>()) out.from = Nucleus{nucleus->mass};
  return out;
}

SearchOptions search_options(const models::Seq2Seq& model, const DecodeOptions& options,
                             const Demands& demands) {
  const auto begin_id = static_cast<int32_t>(model.sizes.begin_id);
  const auto end_id = static_cast<int32_t>(model.sizes.end_id);
  const bool wants_one = options.sampling.is_on() && !options.n_best;
  SearchOptions out{.beam = {.size = wants_one ? 1 : options.beam_size,
                             .kept = options.n_best ? options.beam_size : 1,
                             .penalty = make_length_penalty(options),
                             .coverage_penalty = options.coverage_penalty,
                             .end_id = end_id},
                    .begin_id = begin_id,
                    .forbidden = demands.forbidden,
                    .processors = {},
                    .sampling = sampling_of(options),
                    .places = options.mini_batch};
  // A begin symbol inside a sentence would be lost in its text.
  if (begin_id != end_id) out.forbidden.push_back(begin_id);
  if (options.repetition_penalty != 1) {
    out.processors.emplace_back(RepetitionPenalty{options.repetition_penalty});
  }
  if (options.min_length > 0) out.processors.emplace_back(MinLength{options.min_length, end_id});
  if (options.no_repeat_ngram_size > 0) {
    out.processors.emplace_back(NoRepeatNgram{options.no_repeat_ngram_size});
  }
  if (!demands.banned.empty()) out.processors.emplace_back(BannedPhrases{demands.banned});
  return out;
}

// One model without weights is asked as it is.
StepModel step_model(Models models, const data::Tokens& sources, const DecodeOptions& options,
                     int64_t places, std::span<const SentenceRules> rules) {
  if (models.size() == 1 && options.weights.empty()) {
    return Seq2SeqSteps(*models.front(), sources, places, rules);
  }
  std::vector<Member> members;
  for (size_t m = 0; m < models.size(); ++m) {
    members.push_back({.model = Seq2SeqSteps(*models[m], sources, places, rules),
                       .weight = options.weights.empty() ? 1 : options.weights[m]});
  }
  return Ensemble(std::move(members));
}

uint64_t hash_of(std::span<const int32_t> ids) {
  Hash h;
  for (const int32_t id : ids) h.add(static_cast<uint32_t>(id));
  return h.value();
}

}  // namespace

Seq2SeqSteps::Seq2SeqSteps(const models::Seq2Seq& model, const data::Tokens& sources,
                           int64_t places, std::span<const SentenceRules> rules)
    : model_(&model), sources_(&sources), rules_(rules), cache_(model.make_cache(places)) {
  const auto has_own = [](const SentenceRules& r) { return !r.allowed.empty(); };
  if (std::ranges::any_of(rules, has_own)) projections_.resize(static_cast<size_t>(places));
}

void Seq2SeqSteps::enter(std::span<const Entered> entered) {
  data::Tokens part;
  std::vector<int32_t> places;
  for (const Entered& e : entered) {
    part.add((*sources_)[e.sentence]);
    places.push_back(e.place);
    if (projections_.empty()) continue;
    const std::span<const int32_t> allowed = rules_[e.sentence].allowed;
    projections_[e.place] = allowed.empty() ? nn::Linear() : model_->projection_to(allowed);
  }
  nn::Context context;
  const nn::Memory memory = model_->encode(part, context);
  cache_.enter(places, part.segments);
  model_->decoder.remember(memory, cache_);
}

Tensor Seq2SeqSteps::operator()(const Step& step) {
  if (!step.entered.empty()) enter(step.entered);
  cache_.begin_step(step.parents, step.counts);
  nn::Context context;
  context.cache = &cache_;
  std::optional<SourceWeightsObserver> observer;
  if (step.attention != nullptr) {
    observer.emplace(model_->decoder.cross_attentions(), *step.attention);
    context.observer = &*observer;
  }
  const ops::Ids ids = ops::make_ids({step.ids.begin(), step.ids.end()});
  const Tensor states = model_->decode(ids, cache_.rows(), {}, context);
  return projections_.empty() ? model_->logits(states, context) : own_logits(states, step.counts);
}

Tensor Seq2SeqSteps::own_logits(const Tensor& states, std::span<const int32_t> counts) const {
  std::vector<Tensor> parts;  // of each place at work
  int64_t width = 0;
  nn::Context context;
  for (int64_t row = 0, p = 0; p < std::ssize(counts); row += counts[p++]) {
    if (counts[p] == 0) continue;
    const Tensor own = states.row_range(row, row + counts[p]);
    const nn::Linear& project = projections_[p];
    parts.push_back(project.weight.is_present() ? project(own, nullptr)
                                                : model_->logits(own, context));
    width = std::max(width, parts.back().cols());
  }
  const auto& backend = backend_of(states);
  Tensor out = Tensor::empty({states.rows(), (width + kBlock - 1) / kBlock * kBlock});
  backend(kernels::Fill{.y = out, .value = -std::numeric_limits<double>::infinity()});
  for (int64_t row = 0; const Tensor& part : parts) {
    backend(kernels::Copy{.x = part,
                          .y = out.row_range(row, row + part.rows()).col_range(0, part.cols())});
    row += part.rows();
  }
  return out;
}

void check_together(const DecodeOptions& options, Models models) {
  if (!options.weights.empty() && options.weights.size() != models.size()) {
    fail<OptionError>("--weights", "expected one for each of {} models, got {}", models.size(),
                      options.weights.size());
  }
  if (models.size() == 1) return;
  for (const models::Seq2Seq* model : models) {
    if (model->options.is_left_to_right()) continue;
    fail<OptionError>("--model",
                      "one of several is of --generation {}, and models translate together token "
                      "by token; expected one model, or all left-to-right",
                      model->options.generation.name());
  }
}

int64_t output_limit(const DecodeOptions& options, int64_t source_tokens, int64_t room) {
  const double tokens = options.max_length_factor * static_cast<double>(source_tokens);
  return std::clamp<int64_t>(std::llround(std::floor(std::min(tokens, 1e9))), 1,
                             std::min(room, options.max_output_length));
}

std::vector<NBest> decode(const models::Seq2Seq& model, const data::Tokens& sources,
                          const DecodeOptions& options, const Demands& demands,
                          const OnDecided& on_decided) {
  const models::Seq2Seq* const one = &model;
  return decode(Models(&one, 1), sources, options, demands, on_decided);
}

std::vector<NBest> decode(Models models, const data::Tokens& sources, const DecodeOptions& options,
                          const Demands& demands, const OnDecided& on_decided) {
  check_together(options, models);
  const models::Seq2Seq& first = *models.front();
  if (!first.options.is_left_to_right()) {
    std::vector<NBest> out;
    for (Hypothesis& h : decode_non_autoregressive(first, sources, options, demands.forbidden)) {
      out.push_back({std::move(h)});
    }
    return out;
  }
  SearchOptions how = search_options(first, options, demands);
  how.is_normalised = models.size() > 1 || !options.weights.empty();
  int64_t room = std::numeric_limits<int64_t>::max();
  for (const models::Seq2Seq* model : models)
    room = std::min(room, models::target_capacity(model->options));
  const std::vector<int64_t> order = data::longest_first(sources);
  data::Tokens sorted;
  std::vector<int64_t> limits;
  std::vector<SentenceRules> rules;
  for (const int64_t s : order) {
    sorted.add(sources[s]);
    rules.push_back(
        {.prefix = demands.prefixes.empty() ? std::vector<int32_t>() : demands.prefixes[s],
         .stream = hash_of(sources[s]),
         .allowed = demands.allowed.empty() ? std::span<const int32_t>() : demands.allowed[s],
         .constraints = demands.constraints.empty() ? Constraints() : demands.constraints[s]});
    const int64_t asked = std::ssize(rules.back().prefix) + rules.back().constraints.tokens();
    const int64_t least = std::max(options.min_length, asked) + 1;
    limits.push_back(
        std::min(room, std::max(least, output_limit(options, std::ssize(sources[s]), room))));
  }
  if (on_decided) {
    how.on_decided = [&](Decided decided) {
      decided.sentence = static_cast<int32_t>(order[decided.sentence]);
      on_decided(decided);
    };
  }
  const int64_t places = std::min(options.mini_batch, std::ssize(order));
  std::vector<NBest> found =
      search(step_model(models, sorted, options, places, rules), limits, how, rules);
  std::vector<NBest> out(order.size());
  for (size_t i = 0; i < order.size(); ++i) out[order[i]] = std::move(found[i]);
  return out;
}

}  // namespace weft::decode
