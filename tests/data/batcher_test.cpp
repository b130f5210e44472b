#include "weft/data/batcher.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/data/files.h"
#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/data/corpus/corpus.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

// `count` pairs whose lengths go up and down between 1 and 12.
CorpusFiles write_pairs(const TempFolder& folder, const std::string& name, int count) {
  std::string source, target;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < 1 + i * 7 % 12; ++j) source += "a ";
    for (int j = 0; j < 1 + i * 5 % 12; ++j) target += "b ";
    source += "\n";
    target += "\n";
  }
  return {{folder.write(name + ".s", source), folder.write(name + ".t", target)}};
}

class Batcher : public ::testing::Test {
 protected:
  Batcher() {
    const auto words = make_plain_tokeniser(Vocabulary::from_list("a\nb\n", "v"));
    parts = {write_pairs(folder, "one", 300), write_pairs(folder, "two", 100)};
    tokenisers = {words, words};
    corpus = std::make_shared<Corpus>(parts, tokenisers, CorpusLimits{});
    options.mini_batch_words = 60;
    options.maxi_batch = 10;
  }

  // The same text with weights of its parts.
  void weigh(double first, double second) {
    parts[0].weight = first;
    parts[1].weight = second;
    corpus = std::make_shared<Corpus>(parts, tokenisers, CorpusLimits{});
  }

  int64_t words_of(std::span<const int64_t> batch) const {
    int64_t words = 0;
    for (const int64_t sentence : batch) words += corpus->length(1, sentence) + 1;
    return words;
  }

  static std::map<int64_t, int> times(const BatchPlan& plan) {
    std::map<int64_t, int> times;
    for (int64_t i = 0; i < plan.size(); ++i)
      for (const int64_t sentence : plan[i]) ++times[sentence];
    return times;
  }

  static std::vector<std::vector<int64_t>> all(const BatchPlan& plan) {
    std::vector<std::vector<int64_t>> batches;
    for (int64_t i = 0; i < plan.size(); ++i) batches.emplace_back(plan[i].begin(), plan[i].end());
    return batches;
  }

  TempFolder folder;
  std::vector<CorpusFiles> parts;
  std::vector<TokeniserPtr> tokenisers;
  std::shared_ptr<const Corpus> corpus;
  BatchOptions options;
};

TEST_F(Batcher, KeepsEverySentenceOnce) {
  for (const int64_t words : {0, 1, 13, 60, 100000}) {
    options.mini_batch_words = words;
    options.mini_batch = 7;
    const auto seen = times(training_plan(*corpus, options, 1, 0));
    EXPECT_EQ(std::ssize(seen), corpus->size());
    for (const auto& [sentence, count] : seen) ASSERT_EQ(count, 1) << sentence;
  }
}

TEST_F(Batcher, BoundsHoldAndBatchesAreFull) {
  const BatchPlan plan = training_plan(*corpus, options, 1, 0);
  int64_t words = 0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    ASSERT_FALSE(plan[i].empty());
    EXPECT_LE(words_of(plan[i]), 60);
    words += words_of(plan[i]);
  }
  EXPECT_LT(plan.size() * 60, words * 5 / 4) << "a pool's last batch is small, the others are full";
  options.mini_batch_words = 0;
  options.mini_batch = 7;
  const BatchPlan by_sentence = training_plan(*corpus, options, 1, 0);
  for (int64_t i = 0; i < by_sentence.size(); ++i) EXPECT_LE(by_sentence[i].size(), 7);
}

TEST_F(Batcher, ASentenceOverTheBoundIsABatchAlone) {
  options.mini_batch_words = 5;
  const BatchPlan plan = training_plan(*corpus, options, 1, 0);
  for (int64_t i = 0; i < plan.size(); ++i) {
    EXPECT_TRUE(words_of(plan[i]) <= 5 || plan[i].size() == 1) << i;
  }
}

TEST_F(Batcher, SentencesOfABatchAreOfSimilarLength) {
  options.maxi_batch = 1000;
  const BatchPlan plan = training_plan(*corpus, options, 1, 0);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const auto length = [&](int64_t s) { return corpus->length(1, s); };
    const auto [least, most] = std::ranges::minmax_element(plan[i], {}, length);
    EXPECT_LE(length(*most) - length(*least), 2);
  }
}

TEST_F(Batcher, BatchesOfOnePoolComeInNoOrderOfLength) {
  options.maxi_batch = 1000;
  const BatchPlan plan = training_plan(*corpus, options, 1, 0);
  int64_t falls = 0;
  for (int64_t i = 1; i < plan.size(); ++i) {
    falls += corpus->length(1, plan[i][0]) < corpus->length(1, plan[i - 1][0]);
  }
  EXPECT_GT(falls, plan.size() / 4);
}

TEST_F(Batcher, IsAFunctionOfSeedAndEpoch) {
  const auto plan = [&](uint64_t seed, int64_t epoch) {
    return all(training_plan(*corpus, options, seed, epoch));
  };
  EXPECT_EQ(plan(1, 3), plan(1, 3));
  EXPECT_NE(plan(1, 3), plan(1, 4));
  EXPECT_NE(plan(1, 3), plan(2, 3));
}

TEST_F(Batcher, WeightsSayHowOftenACorpusIsSeen) {
  weigh(2, 0.25);
  std::set<int64_t> of_the_second;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    int64_t first = 0, second = 0;
    for (const auto& [sentence, count] : times(training_plan(*corpus, options, 1, epoch))) {
      if (sentence < corpus->parts()[1].begin) {
        EXPECT_EQ(count, 2);
        ++first;
      } else {
        EXPECT_EQ(count, 1);
        ++second;
        of_the_second.insert(sentence);
      }
    }
    EXPECT_EQ(first, 300);
    EXPECT_EQ(second, 25);
  }
  EXPECT_GT(of_the_second.size(), 40) << "another part in each epoch";
}

TEST_F(Batcher, WithoutABoundIsAnError) {
  options.mini_batch_words = 0;
  EXPECT_EQ(message_of<OptionError>([&] { training_plan(*corpus, options, 1, 0); }),
            "--mini-batch-words: nothing bounds a batch; expected it or --mini-batch above 0");
}

TEST_F(Batcher, EvaluationSeesEachSentenceOnceInAFixedOrder) {
  const BatchPlan plan = evaluation_plan(*corpus, {.rows = 100, .examples = 16});
  EXPECT_EQ(std::ssize(times(plan)), corpus->size());
  int64_t before = 0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    EXPECT_LE(words_of(plan[i]), 100);
    EXPECT_LE(plan[i].size(), 16);
    EXPECT_GE(corpus->length(1, plan[i].front()), before);
    before = corpus->length(1, plan[i].back());
  }
  EXPECT_EQ(all(plan), all(evaluation_plan(*corpus, {.rows = 100, .examples = 16})));
  EXPECT_EQ(evaluation_plan(*corpus, {}).size(), 1);
}

// Twenty examples that have costs and nothing else.
class CostsAlone : public Dataset {
 public:
  int64_t size() const override { return 20; }
  Cost cost(int64_t example) const override {
    return {.rows = 1 + example % 2, .other_rows = 20 - example};
  }
  Batch batch(std::span<const int64_t> examples) const override {
    ++batches;
    return {.fields = {}, .examples = {examples.begin(), examples.end()}};
  }
  uint64_t fingerprint() const override { return 0; }

  mutable int batches = 0;  // read
};

TEST_F(Batcher, KnowsCostsAlone) {
  const auto data = std::make_shared<CostsAlone>();
  std::vector<std::vector<int64_t>> expected = {
      {18, 16, 14, 12, 10, 8, 6, 4, 2, 0}, {19, 17, 15, 13, 11}, {9, 7, 5, 3, 1}};
  EXPECT_EQ(all(evaluation_plan(*data, {.rows = 10, .examples = 0})), expected);
  // One pool holds them all: the batches of training are the same in another order.
  options.mini_batch_words = 10;
  BatchSource source(data, options, 3);
  EXPECT_EQ(data->batches, 0);
  std::vector<std::vector<int64_t>> read;
  for (int64_t i = 0; i < source.batches_in_epoch(); ++i) {
    read.push_back(source.next().batch.examples);
    EXPECT_EQ(data->batches, i + 1);
  }
  std::ranges::sort(read);
  std::ranges::sort(expected);
  EXPECT_EQ(read, expected);
}

// Resumed runs of every version read the same batches.
TEST_F(Batcher, ThePlanOfASeedNeverChanges) {
  const auto hash_of = [](const BatchPlan& plan) {
    Hash hash;
    for (int64_t i = 0; i < plan.size(); ++i) {
      hash.add(plan[i].size());
      for (const int64_t example : plan[i]) hash.add(static_cast<uint64_t>(example));
    }
    return hash.value();
  };
  weigh(2, 0.25);
  EXPECT_EQ(hash_of(training_plan(*corpus, options, 1, 3)), 2685635985650975382u);
  EXPECT_EQ(hash_of(evaluation_plan(*corpus, {.rows = 100, .examples = 16})), 2873241679733842359u);
  EXPECT_EQ(corpus->fingerprint(), 17109051410288207303u);
}

TEST_F(Batcher, ASourceGoesOnFromAnyPosition) {
  BatchSource whole(corpus, options, 5);
  const int64_t batches = whole.batches_in_epoch();
  DataPosition at;
  for (int64_t i = 0; i < 2 * batches + 3; ++i) {
    BatchSource resumed(corpus, options, 5, at);
    const BatchSource::Item expected = whole.next(), got = resumed.next();
    ASSERT_EQ(got.batch.examples, expected.batch.examples) << i;
    ASSERT_EQ(got.batch.target().ids, expected.batch.target().ids);
    ASSERT_EQ(got.next, expected.next);
    ASSERT_EQ(got.ends_epoch, expected.next.batch == 0);
    at = got.next;
  }
  EXPECT_GE(at.epoch, 1);
}

TEST_F(Batcher, ASourceSeesEverySentenceInEachEpoch) {
  BatchSource source(corpus, options, 5);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    std::set<int64_t> seen;
    for (bool ends = false; !ends;) {
      const BatchSource::Item item = source.next();
      seen.insert(item.batch.examples.begin(), item.batch.examples.end());
      ends = item.ends_epoch;
      EXPECT_EQ(item.next.epoch, epoch + ends);
    }
    EXPECT_EQ(std::ssize(seen), corpus->size());
  }
}

TEST_F(Batcher, APositionOutsideTheDataIsAnError) {
  for (const DataPosition at :
       {DataPosition{0, 100000}, DataPosition{0, -1}, DataPosition{-1, 0}}) {
    const std::string message =
        message_of<OptionError>([&] { BatchSource source(corpus, options, 1, at); });
    EXPECT_TRUE(message.starts_with("data position: batch ")) << message;
  }
  weigh(0.0001, 0);
  EXPECT_EQ(message_of<OptionError>([&] { BatchSource source(corpus, options, 1); }),
            "--train-weights: epoch 0 draws no example");
}

}  // namespace
}  // namespace weft::data
