#include "weft/tasks/span_corruption/span_corruption.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/core/log.h"
#include "weft/data/batcher.h"
#include "weft/tasks/open_vocabularies.h"
#include "weft/tasks/training_checks.h"
#include "weft/tasks/translator_start.h"

namespace weft::tasks {
namespace {

constexpr data::BatchLimits kSpanLimits = {.rows = 4096};
constexpr PhiloxKey kSpanKey = {0x7370616Eu, 0};

}  // namespace

void SpanCorruption::check_ranks() const { tasks::check_ranks(options_.model.encoder.transformer); }

void SpanCorruption::make_model(train::Group& group, bool resumes) {
  if (options_.from.empty()) {
    create_model(group, resumes);
  } else {
    start_from_model(group);
  }
  const std::string& where = options_.from.empty() ? options_.data.vocabs.front() : options_.from;
  corruption_.emplace(options_.corruption, session_.source(), where);
  log::info("model: {} parameters, vocabulary of {}, {} sentinels", session_.parameters.size(),
            session_.source().size(), corruption_->sentinels());
}

void SpanCorruption::create_model(train::Group& group, bool resumes) {
  std::optional<Pretrained> pretrained;
  if (!resumes) pretrained = pretrained_translator(options_.pretrained, options_.model);
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  vocabularies_ = open_vocabularies(group, options_.data, options_.vocabulary_text(), seed);
  const data::TokeniserPtr& both = vocabularies_.fields.front();
  session_ = model_file::new_translator(options_.model, {both, both}, seed);
  if (pretrained) {
    pretrained->copy_to(parameters(),
                        {{nn::Vocabulary::kSource, *both}, {nn::Vocabulary::kTarget, *both}});
  }
}

// A training that resumes replaces the weights.
void SpanCorruption::start_from_model(train::Group& group) {
  session_ = translator_from(options_.from, options_.model);
  options_.check_model(session_.model.options);
  if (group.size() > 1) tasks::check_ranks(session_.model.options.encoder.transformer);
  if (data::is_same(session_.source(), session_.target())) return;
  fail<OptionError>("--from", "{}: expected one vocabulary for source and target, got two",
                    options_.from);
}

std::shared_ptr<const data::LineSequences> SpanCorruption::read_lines(
    const std::vector<std::string>& files) const {
  const data::TokenOptions tokens{.max_length = options_.data.max_length};
  auto out = std::make_shared<const data::LineSequences>(files, tokens, session_.source());
  log::info("{}", out->report());
  const models::PairLengths most = session_.model.options.longest_pair();
  for (int64_t example = 0; example < out->size(); ++example) {
    const models::PairLengths pair = lengths(*out, example);
    if (pair.source - 1 <= most.source && pair.target - 1 <= most.target) continue;
    fail<OptionError>("--max-length",
                      "a sequence of {} tokens becomes a pair of {} and {}, over the positions of "
                      "the model, {} and {}; expected less{}",
                      out->cost(example).rows - 1, pair.source - 1, pair.target - 1, most.source,
                      most.target, options_.from.empty() ? ", or more --max-positions" : "");
  }
  return out;
}

models::PairLengths SpanCorruption::lengths(const data::LineSequences& lines,
                                            int64_t example) const {
  return corruption_->lengths(lines.cost(example).rows - 1);
}

void SpanCorruption::read_data(train::Group& group) {
  const std::vector<std::string>& valid = options_.validation.valid_sets;
  if (!valid.empty() && group.is_first()) validation_ = read_lines(valid);
  training_ = read_lines(options_.data.train_sets);
  models::TargetLengths& trained = session_.model.dims.trained_lengths;
  trained = {};
  for (int64_t example = 0; example < training_->size(); ++example) {
    const models::PairLengths pair = lengths(*training_, example);
    trained.longest = std::max(trained.longest, pair.target);
    trained.ratio = std::max(trained.ratio,
                             static_cast<double>(pair.target) / static_cast<double>(pair.source));
  }
}

ops::Loss SpanCorruption::loss(const train::MicroBatch& batch, const nn::Context& context) {
  const data::Tokens& tokens = batch.batch.tokens(0);
  std::vector<uint32_t> numbers(static_cast<size_t>(tokens.examples()));
  std::iota(numbers.begin(), numbers.end(), static_cast<uint32_t>(tokens.segments.first));
  const data::Batch pairs =
      (*corruption_)(batch.batch, {.key = context.key, .pass = context.pass, .numbers = numbers});
  return trained_.loss(pairs, {.smoothing = options_.label_smoothing, .weight = batch.weight},
                       context);
}

std::vector<train::Metric> SpanCorruption::validate() {
  double nll = 0;
  int64_t targets = 0;
  const data::BatchPlan plan = data::evaluation_plan(*validation_, kSpanLimits);
  for (int64_t b = 0; b < plan.size(); ++b) {
    const data::Batch lines = validation_->batch(plan[b]);
    const std::vector<uint32_t> numbers(lines.examples.begin(), lines.examples.end());
    const data::Batch pairs = (*corruption_)(lines, {.key = kSpanKey, .numbers = numbers});
    nll += session_.model.loss(pairs, {}, {}).nll;
    targets += pairs.target().rows();
  }
  if (!std::isfinite(nll)) fail<NumericError>("--valid-sets", "the loss is not a finite number");
  const double mean = nll / static_cast<double>(targets);
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    const double value = metric == "perplexity" ? std::exp(mean) : mean;
    out.push_back({.name = metric, .value = value, .is_loss = true});
  }
  return out;
}

}  // namespace weft::tasks
