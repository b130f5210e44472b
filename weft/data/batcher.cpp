#include "weft/data/batcher.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "weft/core/error.h"
#include "weft/core/random.h"

namespace weft::data {
namespace {

constexpr uint64_t kShuffleStream = 0x62617463ull << 32;

void shuffle(std::span<int64_t> items, RandomStream& random) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

// The examples of an epoch, each as often as the weight of its part says, in random order.
std::vector<int64_t> draw(const Dataset& data, RandomStream& random) {
  std::vector<int64_t> drawn;
  for (const Part& part : data.parts()) {
    std::vector<int64_t> all(part.end - part.begin);
    std::iota(all.begin(), all.end(), part.begin);
    const double whole = std::floor(part.weight);
    for (double i = 0; i < whole; ++i) drawn.insert(drawn.end(), all.begin(), all.end());
    const auto rest = static_cast<int64_t>(std::lround((part.weight - whole) * std::ssize(all)));
    if (rest == 0) continue;
    shuffle(all, random);
    drawn.insert(drawn.end(), all.begin(), all.begin() + rest);
  }
  shuffle(drawn, random);
  return drawn;
}

// By the rows that bound a batch, then by those of the other fields; equals keep their order.
void sort_by_cost(const Dataset& data, std::span<int64_t> examples) {
  struct Keyed {
    Cost cost;
    int64_t example;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(examples.size());
  for (const int64_t example : examples) keyed.push_back({data.cost(example), example});
  std::ranges::stable_sort(keyed, [](const Keyed& a, const Keyed& b) {
    return std::pair(a.cost.rows, a.cost.other_rows) < std::pair(b.cost.rows, b.cost.other_rows);
  });
  std::ranges::transform(keyed, examples.begin(), &Keyed::example);
}

// Calls take(range) for consecutive ranges of `examples`, each as long as the limits allow.
template <class Take>
void cut(const Dataset& data, std::span<int64_t> examples, const BatchLimits& limits, Take&& take) {
  size_t begin = 0;
  int64_t rows = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    const int64_t more = data.cost(examples[i]).rows;
    const bool is_full =
        (limits.rows > 0 && rows + more > limits.rows) ||
        (limits.examples > 0 && static_cast<int64_t>(i - begin) >= limits.examples);
    if (is_full && i > begin) {
      take(examples.subspan(begin, i - begin));
      begin = i;
      rows = 0;
    }
    rows += more;
  }
  if (begin < examples.size()) take(examples.subspan(begin));
}

}  // namespace

void BatchPlan::reserve(int64_t examples) { examples_.reserve(static_cast<size_t>(examples)); }

void BatchPlan::add(std::span<const int64_t> batch) {
  examples_.insert(examples_.end(), batch.begin(), batch.end());
  ends_.push_back(std::ssize(examples_));
}

BatchPlan training_plan(const Dataset& data, const BatchOptions& options, uint64_t seed,
                        int64_t epoch) {
  const BatchLimits limits{options.mini_batch_words, options.mini_batch};
  if (limits.rows <= 0 && limits.examples <= 0) {
    fail<OptionError>("--mini-batch-words",
                      "nothing bounds a batch; expected it or --mini-batch "
                      "above 0");
  }
  RandomStream random(seed, kShuffleStream + static_cast<uint64_t>(epoch));
  std::vector<int64_t> drawn = draw(data, random);

  std::vector<std::span<const int64_t>> sorted;  // batches, by their index in `drawn`
  const BatchLimits pool_limits{limits.rows * options.maxi_batch,
                                limits.examples * options.maxi_batch};
  cut(data, drawn, pool_limits, [&](std::span<int64_t> pool) {
    sort_by_cost(data, pool);
    cut(data, pool, limits, [&](std::span<int64_t> batch) { sorted.push_back(batch); });
  });

  std::vector<int64_t> order(sorted.size());
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  BatchPlan plan;
  plan.reserve(std::ssize(drawn));
  for (const int64_t batch : order) plan.add(sorted[batch]);
  return plan;
}

BatchPlan evaluation_plan(const Dataset& data, const BatchLimits& limits) {
  std::vector<int64_t> all(data.size());
  std::iota(all.begin(), all.end(), 0);
  sort_by_cost(data, all);
  BatchPlan plan;
  cut(data, all, limits, [&](std::span<int64_t> batch) { plan.add(batch); });
  return plan;
}

BatchSource::BatchSource(std::shared_ptr<const Dataset> data, const BatchOptions& options,
                         uint64_t seed, DataPosition from)
    : data_(std::move(data)), options_(options), seed_(seed), at_(from) {
  plan_epoch();
  if (at_.epoch < 0 || at_.batch < 0 || at_.batch >= plan_.size()) {
    fail<OptionError>("data position",
                      "batch {} of epoch {} is not in the data; expected less than "
                      "{} batches; hint: the training data or their options have changed",
                      at_.batch, at_.epoch, plan_.size());
  }
}

void BatchSource::plan_epoch() {
  plan_ = training_plan(*data_, options_, seed_, at_.epoch);
  if (plan_.size() == 0) {
    fail<OptionError>("--train-weights", "epoch {} draws no example", at_.epoch);
  }
  planned_epoch_ = at_.epoch;
}

BatchSource::Item BatchSource::next() {
  if (at_.epoch != planned_epoch_) plan_epoch();
  Item item{data_->batch(plan_[at_.batch]), at_, false};
  item.ends_epoch = ++at_.batch == plan_.size();
  if (item.ends_epoch) at_ = {at_.epoch + 1, 0};
  item.next = at_;
  return item;
}

}  // namespace weft::data
