#include "weft/train/distributed/gradient_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::train {
namespace {

using testing::ElementsAre;

struct Started {
  int number;
  int64_t begin, size;
  bool operator==(const Started&) const = default;
};

// Records the calls.
class FakeGroup final : public Group {
 public:
  explicit FakeGroup(const float* base) : base_(base) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void start_sum(int number, std::span<float> values) override {
    started.push_back({number, values.data() - base_, std::ssize(values)});
  }
  void progress() override {}
  void wait_sums() override { ++waits; }
  double sum(double value) override { return value; }
  void broadcast(std::span<std::byte>) override {}

  std::vector<Started> started;
  int waits = 0;

 private:
  const float* base_;
};

class GradientBucketsTest : public testing::Test {
 protected:
  Tensor gradient_ = Tensor::zeros({1, 25});
  FakeGroup group_{gradient_.data<float>()};
  GradientBuckets buckets_{group_, gradient_, 10};
};

TEST_F(GradientBucketsTest, StartsEachBucketWhenItIsComplete) {
  buckets_.completed(12, 25);
  EXPECT_THAT(group_.started, ElementsAre(Started{2, 20, 5}));
  buckets_.completed(0, 9);
  EXPECT_EQ(group_.started.size(), 1);
  buckets_.completed(9, 12);
  EXPECT_THAT(group_.started,
              ElementsAre(Started{2, 20, 5}, Started{0, 0, 10}, Started{1, 10, 10}));
  buckets_.finish();
  EXPECT_EQ(group_.started.size(), 3);
  EXPECT_EQ(group_.waits, 1);
}

TEST_F(GradientBucketsTest, StartsTheRestAtTheEndAndIsReusable) {
  for (int update = 0; update < 2; ++update) {
    group_.started.clear();
    buckets_.completed(10, 20);
    buckets_.finish();
    EXPECT_THAT(group_.started,
                ElementsAre(Started{1, 10, 10}, Started{0, 0, 10}, Started{2, 20, 5}));
  }
}

TEST(Group, ShardsAreContiguousAndComplete) {
  for (const int64_t count : {0, 1, 2, 3, 10, 1000003}) {
    int64_t next = 0;
    for (int rank = 0; rank < 3; ++rank) {
      const Shard share = shard_of(count, rank, 3);
      EXPECT_EQ(share.begin, next);
      EXPECT_LE(share.end - share.begin, count / 3 + 1);
      next = share.end;
    }
    EXPECT_EQ(next, count);
  }
}

TEST(Group, OfASingleProcessChangesNothing) {
  const std::unique_ptr<Group> group = single_process();
  std::vector<float> values = {1, 2};
  group->start_sum(0, values);
  group->wait_sums();
  EXPECT_THAT(values, ElementsAre(1, 2));
  EXPECT_EQ(group->sum(3), 3);
  EXPECT_TRUE(group->any(true));
  EXPECT_FALSE(group->any(false));
  EXPECT_EQ(from_first_rank(*group, [] { return "text"; }), "text");
}

}  // namespace
}  // namespace weft::train
