// What the loss of detectors is divided by, in trainings with pictures without boxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/options.h"
#include "tests/tasks/labels/toy_boxes.h"
#include "weft/formats/safetensors.h"
#include "weft/tasks/detection/detection.h"
#include "weft/train/trainer.h"

namespace weft::tasks {
namespace {

class EmptyPictures : public testing::Test {
 protected:
  EmptyPictures() { test::write_boxed_pictures(folder_); }
  // Returns the loss of each update.
  std::vector<double> train(const std::string& data, const std::string& model,
                            const std::string& flags) const {
    DetectionOptions o;
    test::set(o,
              "--patch-size 4 --enc-depth 1 --dec-depth 1 --dim-emb 16 --transformer-heads 2 "
              "--transformer-dim-ffn 16 --query-count 3 --mini-batch 4 "
              "--disp-freq 1u --precision float32 --transformer-dropout 0 " +
                  flags);
    o.loop.model = folder_.path(model);
    o.train_sets = {folder_.file("train.jsonl", data)};
    const std::atomic<bool> stop{false};
    std::vector<double> losses;
    train::Trainer(std::make_unique<Detection>(o)).run(stop, [&](const auto& report) {
      losses.push_back(report.loss);
    });
    return losses;
  }
  std::string bytes(const std::string& model) const {
    return test::read_bytes(folder_.path(model));
  }

  test::Scratch folder_;
};

constexpr const char* kEmpty = "{\"image\": \"boxed/0.png\", \"boxes\": []}\n";
constexpr const char* kBox =
    "{\"image\": \"boxed/0.png\", \"boxes\": [{\"label\": \"a\", \"box\": [2, 2, 8, 8]}]}\n";

// Three pictures of four are empty: the sum over queries and boxes, by 1 and by 4.
TEST_F(EmptyPictures, DoNotCountInTheLoss) {
  const std::string data = std::string(kBox) + kEmpty + kEmpty + kEmpty;
  const double boxes = train(data, "a", "--after 1u").at(0);
  const double pictures = train(data, "b", "--after 1u --count-empty-pictures").at(0);
  EXPECT_NEAR(boxes, 4 * pictures, 1e-5 * boxes);
}

// DETR divides by 1 at least.
TEST_F(EmptyPictures, MayBeAllOfAnUpdate) {
  const std::string data = std::string(kEmpty) + kEmpty + kBox;
  const std::vector<double> losses = train(data, "a", "--after 9u --mini-batch 1");
  ASSERT_EQ(losses.size(), 9u);
  for (const double loss : losses) EXPECT_TRUE(std::isfinite(loss)) << loss;
}

// States of versions that counted them do not have the option.
TEST_F(EmptyPictures, CountInTrainingsThatBeganSo) {
  const std::string data = test::boxes_text(1, 20);
  train(data, "whole", "--after 12u --count-empty-pictures");
  train(data, "resumed", "--after 5u --count-empty-pictures");
  const std::string state = folder_.path("resumed.training.safetensors");
  formats::NamedTensors tensors;
  std::map<std::string, std::string> metadata;
  {
    const formats::SafetensorsFile file(state);
    metadata = file.metadata();
    for (const std::string& name : file.names()) {
      tensors.emplace_back(name, file.tensor(name).clone());
    }
  }
  std::string& options = metadata.at("weft.training-options");
  const std::string option = "\"count-empty-pictures\":true,";
  options.erase(options.find(option), option.size());
  formats::save_safetensors(state, tensors, metadata, {}, formats::WithChecksum::kYes);
  train(data, "resumed", "--after 8u");
  train(data, "resumed", "--after 12u");
  EXPECT_EQ(bytes("resumed"), bytes("whole"));
}

}  // namespace
}  // namespace weft::tasks
