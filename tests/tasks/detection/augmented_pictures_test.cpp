#include "weft/tasks/detection/augmented_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace weft::tasks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr data::ImageShape kPicture{.height = 10, .width = 20, .channels = 1};

// Pictures that are black but for their box, columns 2 to 5 of rows 4 to 7.
data::Batch boxed_pictures(int count) {
  data::Features pictures, boxes;
  data::Labels labels;
  pictures.width = kPicture.size();
  boxes.width = 4;
  for (int b = 0; b < count; ++b) {
    for (int i = 0; i < 200; ++i) {
      const int y = i / 20, x = i % 20;
      pictures.values.push_back(y >= 4 && y < 8 && x >= 2 && x < 6 ? 200 : 0);
    }
    pictures.segments.append(1);
    boxes.values.insert(boxes.values.end(), {0.2f, 0.6f, 0.2f, 0.4f});
    boxes.segments.append(1);
    labels.add(std::vector<int32_t>{b});
  }
  data::Batch out;
  for (int b = 0; b < count; ++b) out.examples.push_back(b);
  out.fields = {pictures, labels, boxes};
  return out;
}

data::Batch run(const data::Batch& batch, const data::AugmentationOptions& options,
                uint32_t update = 1) {
  const data::ChannelStatistics statistics{{0.1}, {0.3}};
  return augmented(batch, {.options = options, .shape = kPicture, .statistics = statistics},
                   {.training = true, .key = {7, update}});
}
const std::vector<float>& values(const data::Batch& batch, size_t field) {
  return std::get<data::Features>(batch.fields[field]).values;
}

TEST(AugmentedPictures, MoveTheirBoxes) {
  const data::Batch found = run(boxed_pictures(60), {.random_crop = 2, .random_flip = true});
  std::set<float> centres;
  for (int b = 0; b < 60; ++b) {
    const float* box = values(found, 2).data() + 4 * b;
    const float* picture = values(found, 0).data() + 200 * b;
    centres.insert(box[0]);
    for (int i = 0; i < 200; ++i) {
      const double y = i / 20 + 0.5, x = i % 20 + 0.5;
      const bool is_inside =
          std::abs(x / 20 - box[0]) < box[2] / 2 && std::abs(y / 10 - box[1]) < box[3] / 2;
      ASSERT_EQ(picture[i] == 200, is_inside) << b << ": " << x << ", " << y;
    }
  }
  EXPECT_EQ(centres.size(), 10u);  // five shifts, and each mirrored
}

TEST(AugmentedPictures, LoseBoxesThatLeaveThem) {
  const data::Batch found = run(boxed_pictures(200), {.random_crop = 9});
  const auto& labels = std::get<data::Labels>(found.fields[1]);
  const auto& boxes = std::get<data::Features>(found.fields[2]);
  ASSERT_EQ(labels.segments.offsets, boxes.segments.offsets);
  int whole = 0, cut = 0, lost = 0;
  for (int64_t b = 0; b < 200; ++b) {
    const auto ids = labels[b];
    if (ids.empty()) {
      ++lost;
      continue;
    }
    ASSERT_THAT(ids, ElementsAre(b));
    const float* box = boxes.values.data() + 4 * boxes.segments.begin(b);
    const double area = static_cast<double>(box[2]) * box[3] / (0.2 * 0.4);
    EXPECT_GE(area, 0.25 - 1e-6);
    EXPECT_GE(box[0] - box[2] / 2, -1e-6);
    EXPECT_LE(box[1] + box[3] / 2, 1 + 1e-6);
    ++(area > 0.999 ? whole : cut);
  }
  EXPECT_GT(whole, 20);
  EXPECT_GT(cut, 20);
  EXPECT_GT(lost, 20);
}

TEST(AugmentedPictures, AreTheSameInAnySplit) {
  constexpr data::AugmentationOptions kAll{
      .random_crop = 6, .random_flip = true, .random_erasing = 0.5};
  data::Batch all = boxed_pictures(8);
  data::set_first(all, 40);
  const data::Batch whole = run(all, kAll);
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, 3}, {3, 8}}) {
    const data::Batch part = run(data::slice(all, begin, end), kAll);
    const data::Batch expected = data::slice(whole, begin, end);
    for (const size_t field : {size_t{0}, size_t{2}}) {
      EXPECT_EQ(values(part, field), values(expected, field));
    }
  }
  EXPECT_NE(values(run(all, kAll, 2), 2), values(whole, 2));
  EXPECT_EQ(values(run(all, {}), 2), values(all, 2));
}

TEST(AugmentedPictures, MayHaveNoBox) {
  data::Batch batch = boxed_pictures(1);
  std::get<data::Labels>(batch.fields[1]) = {};
  std::get<data::Labels>(batch.fields[1]).add({});
  auto& boxes = std::get<data::Features>(batch.fields[2]);
  boxes.values.clear();
  boxes.segments = Segments::uniform(1, 0);
  EXPECT_THAT(values(run(batch, {.random_flip = true}), 2), IsEmpty());
}

}  // namespace
}  // namespace weft::tasks
