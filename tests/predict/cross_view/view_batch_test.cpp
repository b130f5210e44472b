#include "weft/predict/cross_view/view_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/tasks/cross_view/small_cross_view.h"

namespace weft::predict {
namespace {

using testing::SizeIs;

TEST(DrawMask, HasTheRatioOfPatchesOnceEachAscending) {
  std::set<std::vector<int32_t>> seen;
  for (uint64_t stream = 0; stream < 300; ++stream) {
    RandomStream random(1, stream);
    const std::vector<int32_t> mask = draw_mask(4, 0.5, random);
    ASSERT_THAT(mask, SizeIs(2));
    EXPECT_LT(mask[0], mask[1]);
    seen.insert(mask);
  }
  EXPECT_THAT(seen, SizeIs(6));  // every choice
}

TEST(DrawMask, LeavesOnePatchOfEachKind) {
  RandomStream random(1, 1);
  EXPECT_THAT(draw_mask(16, 0, random), SizeIs(1));
  EXPECT_THAT(draw_mask(16, 1, random), SizeIs(15));
  EXPECT_THAT(draw_mask(16, 0.9, random), SizeIs(14));
}

class ViewBatches : public testing::Test {
 protected:
  ViewBatches() {
    test::write_toy_views(folder_);
    data::ViewPairsOptions options{.source = {}, .shape = {}, .patch = 2};
    pairs_ = data::read_view_pairs({folder_.path("train.tsv")}, options);
    options.source = data::CroppedPairs{};
    options.shape = {.height = 8, .width = 8};
    crops_ = data::read_view_pairs({folder_.path("pictures")}, options);
  }
  model_file::CrossViewSession session(const std::string& flags,
                                       const data::ViewPairs& pairs) const {
    models::CrossViewOptions o;
    test::set(o, std::string(test::kToyViewModel) + " " + flags);
    model_file::CrossViewAssets assets{
        .dims = {.image = pairs.shape()}, .pixels = pairs.statistics(), .numbers = {}};
    if (!o.is_completion()) {
      assets.dims.numbers = pairs.numbers();
      assets.numbers = pairs.number_statistics();
    }
    return model_file::new_cross_view(o, assets, 1);
  }

  test::Scratch folder_;
  std::unique_ptr<data::ViewPairs> pairs_, crops_;
};

TEST_F(ViewBatches, AreTheSameForAnExampleInAnyBatch) {
  const auto model = session("", *crops_);
  const ViewParams params{.session = model, .pairs = *crops_, .mask_ratio = 0.5};
  const std::vector<DrawnExample> both{{3, 0}, {5, 1}}, one{{5, 1}};
  const models::ViewBatch together = view_batch(params, both, 0, {1, 2});
  const models::ViewBatch alone = view_batch(params, one, 1, {1, 2});
  const auto half = static_cast<int64_t>(together.first.values.size() / 2);
  EXPECT_TRUE(std::equal(alone.first.values.begin(), alone.first.values.end(),
                         together.first.values.begin() + half));
  EXPECT_TRUE(std::equal(alone.second.values.begin(), alone.second.values.end(),
                         together.second.values.begin() + half));
  EXPECT_TRUE(std::ranges::equal(alone.masked[0], together.masked[1]));
  EXPECT_EQ(alone.first.segments.first, 1);
  const models::ViewBatch later = view_batch(params, one, 1, {1, 3});
  EXPECT_NE(later.first.values, alone.first.values);
}

TEST_F(ViewBatches, HaveNormalisedNumbersAndNoMaskWhereMotionIsPredicted) {
  const auto model = session("--objective motion", *pairs_);
  const ViewParams params{.session = model, .pairs = *pairs_};
  std::vector<DrawnExample> all;
  for (int64_t i = 0; i < pairs_->size(); ++i) all.push_back({i, static_cast<uint64_t>(i)});
  const models::ViewBatch views = view_batch(params, all, 0, {});
  EXPECT_THAT(views.masked.ids, SizeIs(0));
  EXPECT_EQ(views.masked.examples(), pairs_->size());
  double sum = 0, squares = 0;
  for (const float x : views.numbers) sum += x, squares += x * x;
  EXPECT_NEAR(sum, 0, 1e-3);
  EXPECT_NEAR(squares / static_cast<double>(views.numbers.size()), 1, 1e-4);
}

TEST_F(ViewBatches, TakeTheSecondViewOfAnotherPairWhereAsked) {
  const auto model = session("", *pairs_);
  ViewParams params{.session = model, .pairs = *pairs_, .mask_ratio = 0.5};
  const std::vector<DrawnExample> first{{0, 0}}, other{{150, 150}};
  const models::ViewBatch own = view_batch(params, first, 0, {1, 0});
  const models::ViewBatch theirs = view_batch(params, other, 0, {1, 0});
  params.second = SecondView::kOther;
  const models::ViewBatch exchanged = view_batch(params, first, 0, {1, 0});
  EXPECT_EQ(exchanged.first.values, own.first.values);
  EXPECT_EQ(exchanged.masked.ids, own.masked.ids);
  EXPECT_EQ(exchanged.second.values, theirs.second.values);
}

TEST_F(ViewBatches, HaveNoSecondViewWhereTheModelSeesNone) {
  const auto model = session("--second-view none", *pairs_);
  const std::vector<DrawnExample> first{{0, 0}};
  const models::ViewBatch views =
      view_batch({.session = model, .pairs = *pairs_, .mask_ratio = 0.5}, first, 0, {});
  EXPECT_EQ(views.second.rows(), 0);
}

}  // namespace
}  // namespace weft::predict
