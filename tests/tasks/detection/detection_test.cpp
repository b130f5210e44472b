#include "weft/tasks/detection/detection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/tasks/labels/toy_boxes.h"
#include "weft/core/error.h"
#include "weft/predict/detection/detector.h"
#include "weft/predict/detection/objects.h"
#include "weft/train/trainer.h"

namespace weft::tasks {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class DetectionTask : public testing::Test {
 protected:
  DetectionTask() { test::write_boxed_pictures(folder_); }
  DetectionOptions options(const std::string& flags = "") const {
    DetectionOptions o;
    test::set(o,
              "--patch-size 4 --enc-depth 2 --dec-depth 1 --dim-emb 32 --transformer-heads 4 "
              "--transformer-dim-ffn 64 --query-count 5 --mini-batch 16 --lr-warmup 10 "
              "--transformer-dropout 0 --learn-rate 0.003 --valid-freq 0 --precision float32 "
              "--after 2u " +
                  flags);
    o.loop.model = folder_.path("model.safetensors");
    o.train_sets = {folder_.file("train.jsonl", test::boxes_text(1, 400))};
    o.validation.valid_sets = {folder_.file("valid.jsonl", test::boxes_text(2, 40))};
    return o;
  }
  static std::vector<train::Metric> trained_metrics(Detection& task) {
    const std::shared_ptr<train::Group> group = train::single_process();
    task.make_model(*group, false);
    task.begin(DType::kF32);
    task.read_data(*group);
    return task.validate();
  }

  test::Scratch folder_;
};

TEST_F(DetectionTask, LearnsToFindObjects) {
  const std::atomic<bool> stop{false};
  train::Trainer(
      std::make_unique<Detection>(options("--after 1000u --lr-schedule cosine --lr-decay-updates "
                                          "1000 --random-flip --random-crop 2")))
      .run(stop, [](const auto&) {});
  const auto session =
      model_file::load<model_file::DetectorSession>(folder_.path("model.safetensors"));
  const data::LabelledBoxes pictures({folder_.path("valid.jsonl")},
                                     {.shape = session.model.dims.image}, session.labels);
  const metrics::PrecisionReport report =
      predict::evaluate_objects(predict::compare_objects(session, pictures), session.labels.size());
  EXPECT_GT(report.at_50, 0.6) << report.text(session.labels.names());
}

TEST_F(DetectionTask, CountsBoxesAndOnDemandEmptyPictures) {
  Detection task(options()), earlier(options("--count-empty-pictures"));
  trained_metrics(task), trained_metrics(earlier);
  int64_t boxes = 0, with_empty = 0, empty = 0;
  for (int64_t i = 0; i < task.dataset()->size(); ++i) {
    boxes += task.targets(i);
    with_empty += earlier.targets(i);
  }
  const std::string text = test::boxes_text(1, 400);
  for (size_t at = text.find("\"boxes\": []"); at != text.npos;
       at = text.find("\"boxes\": []", at + 1)) {
    ++empty;
  }
  int64_t labels = 0;
  for (size_t at = text.find("label"); at != text.npos; at = text.find("label", at + 1)) ++labels;
  EXPECT_GT(empty, 10);
  EXPECT_EQ(boxes, labels);
  EXPECT_EQ(with_empty, labels + empty);
}

TEST_F(DetectionTask, MeasuresWhatItIsAskedTo) {
  Detection task(options("--valid-metrics map ap50 --valid-report"));
  const std::vector<train::Metric> found = trained_metrics(task);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].name, "map");
  EXPECT_EQ(found[1].name, "ap50");
  EXPECT_LE(found[0].value, found[1].value);
  for (const train::Metric& metric : found) EXPECT_FALSE(metric.is_loss);
}

TEST_F(DetectionTask, RefusesToMeasureScoresThatAreNotFinite) {
  Detection task(options());
  trained_metrics(task);
  Tensor weights = task.weights();
  weights.span<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(task.validate(), NumericError);
}

TEST_F(DetectionTask, HasAFingerprintOfItsLabelsAndPictures) {
  Detection one(options()), same(options());
  trained_metrics(one), trained_metrics(same);
  EXPECT_EQ(one.fingerprint(), same.fingerprint());
  DetectionOptions other = options();
  folder_.file("train.jsonl", test::boxes_text(3, 400));
  Detection different(other);
  trained_metrics(different);
  EXPECT_NE(one.fingerprint(), different.fingerprint());
}

TEST_F(DetectionTask, RefusesOptionsThatContradict) {
  const struct {
    const char* flags;
    const char* message;
  } cases[] = {
      {"--dim-emb 36 --transformer-heads 5", "--transformer-heads: 5 heads do not divide"},
      {"--norm-kind batch", "--norm-kind: "},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(test::message_of<OptionError>([&] { Detection task(options(c.flags)); }),
                HasSubstr(c.message));
  }
  DetectionOptions without = options("--early-stopping 3");
  without.validation.valid_sets.clear();
  EXPECT_THAT(test::message_of<OptionError>([&] { Detection task(without); }),
              HasSubstr("is not read without --valid-sets"));
}

TEST_F(DetectionTask, GivesObjectsInPixelsOfThePicture) {
  Detection task(options());
  trained_metrics(task);
  task.save(folder_.path("m"), task.weights());
  const auto session = model_file::load<model_file::DetectorSession>(folder_.path("m"));
  const data::Image wide = data::resize(test::toy_boxed_picture(1), 16, 64);
  const std::string plain_path = folder_.path("boxed/1.png");
  const std::string wide_path = folder_.file("wide.png", data::encode_png(wide));
  const predict::Detector detector(session, {.threshold = 0});
  Report report;
  const std::vector<predict::PictureObjects> found = predict::predict(
      detector, test::lines_of({plain_path, "", wide_path, folder_.path("none.png"), plain_path}),
      report);
  ASSERT_THAT(found, SizeIs(5));
  EXPECT_THAT(found[0].objects, SizeIs(10));  // 5 queries, 2 labels
  EXPECT_THAT(found[1].objects, IsEmpty());
  EXPECT_EQ(found[1].fault->reason, "no path");
  EXPECT_THAT(found[3].fault->reason, HasSubstr("none.png: cannot be opened"));
  EXPECT_THAT(report.text(),
              HasSubstr("5 lines: 1 empty, 1 that cannot be read (left empty); the first fault is "
                        "in line 4: "));
  double right = 0;
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(found[4].objects[i].box, found[0].objects[i].box);
    EXPECT_LE(found[0].objects[i].score, found[0].objects[i > 0 ? i - 1 : 0].score);
    right = std::max(right, found[2].objects[i].box.right());
    EXPECT_LE(found[0].objects[i].box.right(), 16 + 1e-9);
    EXPECT_LE(found[2].objects[i].box.right(), 64 + 1e-9);
  }
  EXPECT_GT(right, 16);
}

}  // namespace
}  // namespace weft::tasks
