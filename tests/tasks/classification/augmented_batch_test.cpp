#include "weft/tasks/classification/augmented_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pictures.h"
#include "tests/support/scratch.h"
#include "tests/tasks/labels/toy_pictures.h"
#include "weft/data/images/labelled_images.h"

namespace weft::tasks {
namespace {

struct Changes {
  data::AugmentationOptions options;
  double mix_up = 0;
};

class AugmentedBatch : public testing::Test {
 protected:
  AugmentedBatch() {
    std::vector<data::Image> pictures;
    std::vector<uint8_t> labels;
    for (int i = 0; i < 30; ++i) {
      labels.push_back(static_cast<uint8_t>(i % 3));
      pictures.push_back(test::toy_picture(i % 3, i));
    }
    const std::vector<std::string> files = {folder_.file("images", test::idx_of_images(pictures)),
                                            folder_.file("labels", test::idx_of_labels(labels))};
    images_ = std::make_unique<data::LabelledImages>(files, data::LabelledImagesOptions{},
                                                     data::collect_image_labels(files, {}));
    statistics_ = images_->statistics();
    shape_ = images_->shape();
  }
  data::Batch run(const data::Batch& batch, const Changes& changes, uint32_t update = 1) const {
    return augmented(batch,
                     {.options = changes.options,
                      .mix_up = changes.mix_up,
                      .shape = shape_,
                      .statistics = statistics_,
                      .training = *images_},
                     {.training = true, .key = {7, update}});
  }
  static const std::vector<float>& pixels(const data::Batch& batch) {
    return std::get<data::Features>(batch.fields[0]).values;
  }

  test::Scratch folder_;
  std::unique_ptr<data::LabelledImages> images_;
  data::ChannelStatistics statistics_;
  data::ImageShape shape_;
};

constexpr Changes kAllChanges{{.random_crop = 2, .random_flip = true, .random_erasing = 0.5}, 0.4};

TEST_F(AugmentedBatch, IsTheSameInAnySplit) {
  const std::vector<int64_t> numbers = {4, 17, 2, 29};
  const data::Batch whole = run(images_->batch(numbers), kAllChanges);
  EXPECT_EQ(pixels(whole), pixels(run(images_->batch(numbers), kAllChanges)));
  EXPECT_NE(pixels(whole), pixels(run(images_->batch(numbers), kAllChanges, 2)));
  data::Batch second = images_->batch(std::vector<int64_t>{2, 29});
  data::set_first(second, 2);
  second = run(second, kAllChanges);
  const data::Batch expected = data::slice(whole, 2, 4);
  EXPECT_EQ(pixels(second), pixels(expected));
  for (const size_t field : {size_t{1}, size_t{2}}) {
    const auto& found = std::get<data::Labels>(second.fields[field]);
    EXPECT_EQ(found.ids, std::get<data::Labels>(expected.fields[field]).ids);
    EXPECT_EQ(found.segments.first, 2);
  }
  EXPECT_EQ(std::get<data::Labels>(second.fields[2]).values,
            std::get<data::Labels>(expected.fields[2]).values);
}

TEST_F(AugmentedBatch, AveragesEachPictureWithAnotherByItsShare) {
  std::vector<int64_t> numbers(30);
  for (int64_t i = 0; i < 30; ++i) numbers[static_cast<size_t>(i)] = i;
  const data::Batch plain = images_->batch(numbers), mixed = run(plain, {{}, 1});
  const auto& others = std::get<data::Labels>(mixed.fields[2]);
  ASSERT_EQ(others.values.size(), 30u);
  for (int64_t b = 0; b < 30; ++b) {
    const float share = others.values[static_cast<size_t>(b)];
    // Some picture with the other's label is the rest of it.
    bool is_found = false;
    for (int64_t other = 0; other < 30; ++other) {
      if (images_->labels(other, 0).front() != others.ids[static_cast<size_t>(b)]) continue;
      bool is_same = true;
      for (int64_t i = 0; i < 64; ++i) {
        const float expected = share * pixels(plain)[static_cast<size_t>(b * 64 + i)] +
                               (1 - share) * pixels(plain)[static_cast<size_t>(other * 64 + i)];
        is_same &= std::abs(pixels(mixed)[static_cast<size_t>(b * 64 + i)] - expected) < 1e-3;
      }
      is_found |= is_same;
    }
    EXPECT_TRUE(is_found) << b;
  }
}

TEST_F(AugmentedBatch, OfNoChangeIsTheBatch) {
  const data::Batch plain = images_->batch(std::vector<int64_t>{1, 2});
  const data::Batch same = run(plain, {});
  EXPECT_EQ(pixels(same), pixels(plain));
  EXPECT_EQ(same.fields.size(), 2u);
}

}  // namespace
}  // namespace weft::tasks
