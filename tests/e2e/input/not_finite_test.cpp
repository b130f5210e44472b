// A model with weights that are not numbers: an empty result and status 1 for the lines that need
// them, and the others as before, in every command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/model_file/small_language_model.h"
#include "tests/tasks/cross_view/toy_views.h"
#include "tests/tasks/labels/toy_boxes.h"
#include "tests/tasks/labels/toy_labels.h"
#include "tests/tasks/labels/toy_pictures.h"
#include "tests/tasks/labels/toy_tags.h"
#include "tests/tasks/transcription/toy_sounds.h"
#include "weft/core/files/checksum.h"
#include "weft/formats/safetensors_header.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kOneUpdate =
    " -m model.safetensors --after 1u --mini-batch 8 --quiet --overwrite --enc-depth 1 --dim-emb "
    "16 "
    "--transformer-heads 2 --transformer-dim-ffn 16";

class NotFinite : public testing::Test {
 protected:
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  void train(const std::string& task) const {
    const ProcessResult result = run("train " + task + kOneUpdate);
    ASSERT_EQ(result.status, 0) << result.errors;
  }
  // Puts NaN into the last row of a tensor of the model.
  void spoil(const std::string& tensor) const {
    std::string bytes = read_bytes(folder_.path("model.safetensors"));
    uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    const auto header = nlohmann::json::parse(bytes.substr(sizeof size, size));
    const auto& entry = header.at(tensor);
    const auto end = sizeof size + size + entry["data_offsets"][1].get<size_t>();
    const auto width = entry["shape"].back().get<size_t>();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (size_t i = 1; i <= width; ++i) {
      std::memcpy(bytes.data() + end - i * sizeof nan, &nan, sizeof nan);
    }
    const size_t digits = bytes.find("\"xxh3:") + 6;
    bytes.replace(digits, 16, formats::checksum_digits(0));
    Checksum sum;
    sum.add(bytes);
    bytes.replace(digits, 16, formats::checksum_digits(sum.value()));
    folder_.file("model.safetensors", bytes);
  }
  // The word whose embedding the last row is.
  std::string last_word() const { return split_lines(read_bytes(folder_.path("v"))).back(); }

  // Two lines. The scores of the second are not finite.
  void expect_second_empty(const std::string& args, const std::string& good,
                           const std::string& bad) const {
    SCOPED_TRACE(args);
    const ProcessResult alone = run(args, good + "\n");
    EXPECT_EQ(alone.status, 0) << alone.errors;
    const ProcessResult both = run(args, good + "\n" + bad + "\n");
    EXPECT_EQ(both.status, 1);
    EXPECT_EQ(both.output, alone.output + "\n");
    EXPECT_THAT(both.errors,
                HasSubstr("2 lines: 1 whose scores are not finite numbers (left empty)"));
    EXPECT_THAT(both.errors, HasSubstr("the first fault is in line 2: the model's scores"));
  }
  // All lines have such scores.
  void expect_message(const std::string& args, const std::string& message,
                      const std::string& input = "", const std::string& output = "") const {
    SCOPED_TRACE(args);
    const ProcessResult result = run(args, input);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, output);
    EXPECT_THAT(result.errors, HasSubstr(message));
  }

  Scratch folder_;
};

constexpr const char* kTextTable = "model.encoder.embed_tokens.weight";

TEST_F(NotFinite, LabelsOfTexts) {
  for (const std::string labels : {"one", "several", "sequence"}) {
    folder_.file("train.tsv", labels == "one" ? one_label_text(1, 40) : several_labels_text(1, 40));
    train("classification -t train.tsv -v v --labels " + labels);
    spoil(kTextTable);
    expect_second_empty("classify -m model.safetensors", "w1 w2", last_word());
    expect_second_empty("classify --scores -m model.safetensors", "w1 w2", last_word());
    expect_message("classify -m model.safetensors --evaluate train.tsv", "not finite numbers");
  }
}

TEST_F(NotFinite, LabelsOfWords) {
  for (const std::string crf : {"none", "all"}) {
    folder_.file("train.tsv", tagged_text(1, 40));
    train("tagging -t train.tsv -v v --crf " + crf);
    spoil(kTextTable);
    const std::string good = split_lines(read_bytes(folder_.path("v")))[4];
    expect_second_empty("tag -m model.safetensors", good, good + " " + last_word());
    const ProcessResult columns =
        run("tag -m model.safetensors --layout conll --scores", last_word() + "\n");
    EXPECT_EQ(columns.status, 1);
    EXPECT_THAT(columns.output, StartsWith(last_word() + "\t"));
    EXPECT_THAT(columns.output, testing::Not(HasSubstr("nan")));
    expect_message("inspect -m model.safetensors --ablate train.tsv",
                   "the loss is not a finite number");
    expect_message("inspect -m model.safetensors --html page --data data",
                   "line 1: inspect: the model's scores are not finite", last_word() + "\n");
    EXPECT_THAT(read_bytes(folder_.path("page")), HasSubstr("<!DOCTYPE html>"));
  }
}

TEST_F(NotFinite, PicturesAndViews) {
  write_toy_pictures(folder_);
  folder_.file("train.tsv", pictures_text(1, 40));
  train("classification --input image -t train.tsv --patch-size 4");
  spoil("classifier.bias");
  expect_message("classify -m model.safetensors", "1 whose scores are not finite",
                 "pictures/0_1.png\n", "\n");
  write_toy_views(folder_);
  train("cross-view -t train.tsv --patch-size 4");
  spoil("model.decoder.layer_norm.bias");
  const ProcessResult completed = run("complete -m model.safetensors -i valid.tsv");
  EXPECT_EQ(completed.status, 1);
  EXPECT_THAT(completed.output, StartsWith("1\t\n2\t\n3\t\n"));
  EXPECT_THAT(completed.errors, HasSubstr("whose scores are not finite"));
  expect_message("complete -m model.safetensors -i valid.tsv --evaluate", "pair 1: the model's");
  train("cross-view -t train.tsv --patch-size 4 --objective motion");
  spoil("model.decoder.layer_norm.bias");
  expect_message("motion -m model.safetensors -i valid.tsv --evaluate", "pair 1: the model's");
  const ProcessResult motion = run("motion -m model.safetensors -i valid.tsv");
  EXPECT_EQ(motion.status, 1);
  EXPECT_EQ(motion.output.find_first_not_of('\n'), std::string::npos);
}

TEST_F(NotFinite, Boxes) {
  write_boxed_pictures(folder_);
  folder_.file("train.jsonl", boxes_text(1, 40));
  train("detection -t train.jsonl --patch-size 4 --dec-depth 1 --query-count 4");
  spoil("bbox_predictor.layers.2.bias");
  expect_message("detect -m model.safetensors", "1 whose scores are not finite", "boxed/1.png\n",
                 "{\"image\":\"boxed/1.png\",\"boxes\":[],\"error\":\"the model's scores are not "
                 "finite numbers\"}\n");
  expect_message("detect -m model.safetensors --evaluate train.jsonl", "picture 1: the model's");
  expect_message("inspect -m model.safetensors --html page", "line 1: inspect: the model's",
                 "boxed/1.png\n");
}

TEST_F(NotFinite, Sounds) {
  write_toy_sounds(folder_);
  folder_.file("train.tsv", sounds_text(1, 8));
  for (const std::string decoder : {"ctc", "attention --dec-depth 1", "joint --dec-depth 1"}) {
    train("transcription -t train.tsv -v v --sample-rate 8000 --mel-bins 16 --decoder " + decoder);
    spoil("model.encoder.layers.0.fc2.bias");
    expect_message("transcribe -m model.safetensors", "1 whose scores are not finite",
                   "sounds/1.wav\n", "\n");
    const std::string samples(16000, '\x11');  // of a second
    expect_message("transcribe -m model.safetensors --raw s16le", "1 sound: 1 whose scores are not",
                   samples);
    const ProcessResult json = run("transcribe -m model.safetensors --format json", "sounds/1.wav");
    EXPECT_EQ(json.status, 1);
    EXPECT_THAT(json.output, HasSubstr("\"error\":\"the model's scores are not finite numbers\""));
    expect_message("transcribe -m model.safetensors --evaluate train.tsv",
                   "train.tsv:1: the model's");
  }
}

TEST_F(NotFinite, Translations) {
  write_toy_text(folder_);
  for (const std::string generation : {"left-to-right", "ctc"}) {
    run("train -t train.src train.trg -v v w --dec-depth 1 --generation " + generation +
        kOneUpdate);
    spoil(kTextTable);
    const std::string good = split_lines(read_bytes(folder_.path("v")))[4];
    expect_second_empty("translate -m model.safetensors", good, good + " " + last_word());
    if (generation == "ctc") continue;
    expect_second_empty("translate -m model.safetensors --stream", good, last_word());
    folder_.file("source", good + "\n" + last_word() + "\n");
    folder_.file("target", "\n\n");
    const ProcessResult scores = run("score -m model.safetensors -t source target");
    EXPECT_EQ(scores.status, 1);
    EXPECT_EQ(split_lines(scores.output)[1], "");
    const ProcessResult aligned =
        run("score -m model.safetensors --alignment soft -t source target");
    EXPECT_EQ(aligned.status, 1);
    EXPECT_THAT(aligned.errors, HasSubstr("1 whose scores are not finite"));
    folder_.file("alone", good + "\n");
    folder_.file("none", "\n");
    const ProcessResult alone = run("score -m model.safetensors --alignment soft -t alone none");
    EXPECT_EQ(alone.status, 0) << alone.errors;
    EXPECT_EQ(aligned.output, alone.output + "\n");
    expect_message("score -m model.safetensors --summary cross-entropy -t source target",
                   "pair 2: the model's");
  }
}

// A token of its own has no numbers; nothing reads what is predicted.
TEST_F(NotFinite, Prompts) {
  const auto session = model_file::small_language_model();
  model_file::save(folder_.path("model.safetensors"), session, session.parameters);
  spoil("model.decoder.embed_tokens.weight");
  const std::string good = "w1 w2 w3", bad = "w1 w36 w2";
  const std::string generate = "generate -m model.safetensors --max-length 1 --temperature ";
  for (const std::string more : {"0", "0.8", "0 --beam-size 2", "0 --stream", "0 --draft prompt"}) {
    expect_second_empty(generate + more, good, bad);
  }
  expect_message(generate + "0 --json", "1 whose scores are not finite", bad + "\n",
                 "{\"error\":\"the model's scores are not finite numbers\"}\n");
  expect_message("inspect -m model.safetensors --html page", "line 1: search: the model's",
                 bad + "\n");
  folder_.file("lines", good + "\n" + bad + "\n");
  const ProcessResult scores = run("score -m model.safetensors -t lines");
  EXPECT_EQ(scores.status, 1);
  EXPECT_NE(split_lines(scores.output)[0], "");
  EXPECT_EQ(split_lines(scores.output)[1], "");
  EXPECT_THAT(scores.errors, HasSubstr("the first fault is in line 2: the model's"));
  // The score of the first line alone.
  folder_.file("good", good + "\n");
  const ProcessResult all = run("score -m model.safetensors -t lines --summary");
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(all.output, run("score -m model.safetensors -t good --summary").output);
  folder_.file("text", bad + " " + good);
  expect_message("score -m model.safetensors -t text --documents --context 4",
                 "1 whose scores are not finite", "", "text\t\t\t\t\n");
}

}  // namespace
}  // namespace weft::test
