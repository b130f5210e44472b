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

// The sentences of an epoch, each as often as its corpus' weight says, in random order.
std::vector<int64_t> draw(const Corpus& corpus, const std::vector<double>& weights,
                          RandomStream& random) {
  std::vector<int64_t> drawn;
  for (int64_t part = 0; part < corpus.parts(); ++part) {
    std::vector<int64_t> all(corpus.part_begin(part + 1) - corpus.part_begin(part));
    std::iota(all.begin(), all.end(), corpus.part_begin(part));
    const double weight = weights.empty() ? 1 : weights[part];
    const double whole = std::floor(weight);
    for (double i = 0; i < whole; ++i) drawn.insert(drawn.end(), all.begin(), all.end());
    const auto rest = static_cast<int64_t>(std::lround((weight - whole) * std::ssize(all)));
    if (rest == 0) continue;
    shuffle(all, random);
    drawn.insert(drawn.end(), all.begin(), all.begin() + rest);
  }
  shuffle(drawn, random);
  return drawn;
}

int64_t target_tokens(const Corpus& corpus, int64_t sentence) {
  return corpus.length(corpus.sides() - 1, sentence) + 1;
}

// By target length, then by the other sides'; equals keep their order.
void sort_by_length(const Corpus& corpus, std::span<int64_t> sentences) {
  struct Keyed {
    int64_t target, others, sentence;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(sentences.size());
  for (const int64_t sentence : sentences) {
    int64_t others = 0;
    for (int64_t side = 0; side + 1 < corpus.sides(); ++side) {
      others += corpus.length(side, sentence);
    }
    keyed.push_back({target_tokens(corpus, sentence), others, sentence});
  }
  std::ranges::stable_sort(keyed, [](const Keyed& a, const Keyed& b) {
    return std::pair(a.target, a.others) < std::pair(b.target, b.others);
  });
  std::ranges::transform(keyed, sentences.begin(), &Keyed::sentence);
}

// Calls take(range) for consecutive ranges of `sentences`, each as long as the limits allow.
template <class Take>
void cut(const Corpus& corpus, std::span<int64_t> sentences, const BatchLimits& limits,
         Take&& take) {
  size_t begin = 0;
  int64_t words = 0;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const int64_t more = target_tokens(corpus, sentences[i]);
    const bool is_full =
        (limits.words > 0 && words + more > limits.words) ||
        (limits.sentences > 0 && static_cast<int64_t>(i - begin) >= limits.sentences);
    if (is_full && i > begin) {
      take(sentences.subspan(begin, i - begin));
      begin = i;
      words = 0;
    }
    words += more;
  }
  if (begin < sentences.size()) take(sentences.subspan(begin));
}

}  // namespace

void BatchPlan::add(std::span<const int64_t> batch) {
  sentences_.insert(sentences_.end(), batch.begin(), batch.end());
  ends_.push_back(std::ssize(sentences_));
}

BatchPlan training_plan(const Corpus& corpus, const DataOptions& options, uint64_t seed,
                        int64_t epoch) {
  const BatchLimits limits{options.mini_batch_words, options.mini_batch};
  if (limits.words <= 0 && limits.sentences <= 0) {
    fail<OptionError>("--mini-batch-words",
                      "nothing bounds a batch; expected it or --mini-batch "
                      "above 0");
  }
  RandomStream random(seed, kShuffleStream + static_cast<uint64_t>(epoch));
  std::vector<int64_t> drawn = draw(corpus, options.train_weights, random);

  BatchPlan sorted;
  const BatchLimits pool_limits{limits.words * options.maxi_batch,
                                limits.sentences * options.maxi_batch};
  cut(corpus, drawn, pool_limits, [&](std::span<int64_t> pool) {
    sort_by_length(corpus, pool);
    cut(corpus, pool, limits, [&](std::span<int64_t> batch) { sorted.add(batch); });
  });

  std::vector<int64_t> order(sorted.size());
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  BatchPlan plan;
  for (const int64_t batch : order) plan.add(sorted[batch]);
  return plan;
}

BatchPlan evaluation_plan(const Corpus& corpus, const BatchLimits& limits) {
  std::vector<int64_t> all(corpus.size());
  std::iota(all.begin(), all.end(), 0);
  sort_by_length(corpus, all);
  BatchPlan plan;
  cut(corpus, all, limits, [&](std::span<int64_t> batch) { plan.add(batch); });
  return plan;
}

BatchSource::BatchSource(std::shared_ptr<const Corpus> corpus, DataOptions options, uint64_t seed,
                         DataPosition from)
    : corpus_(std::move(corpus)), options_(std::move(options)), seed_(seed), at_(from) {
  plan_epoch();
  if (at_.epoch < 0 || at_.batch < 0 || at_.batch >= plan_.size()) {
    fail<OptionError>("data position",
                      "batch {} of epoch {} is not in the data; expected less than "
                      "{} batches; hint: the training text or its options have changed",
                      at_.batch, at_.epoch, plan_.size());
  }
}

void BatchSource::plan_epoch() {
  plan_ = training_plan(*corpus_, options_, seed_, at_.epoch);
  if (plan_.size() == 0) {
    fail<OptionError>("--train-weights", "epoch {} draws no sentence", at_.epoch);
  }
  planned_epoch_ = at_.epoch;
}

BatchSource::Item BatchSource::next() {
  if (at_.epoch != planned_epoch_) plan_epoch();
  Item item{corpus_->batch(plan_[at_.batch]), at_, false};
  item.ends_epoch = ++at_.batch == plan_.size();
  if (item.ends_epoch) at_ = {at_.epoch + 1, 0};
  item.next = at_;
  return item;
}

}  // namespace weft::data
