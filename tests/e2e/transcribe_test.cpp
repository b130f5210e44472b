// weft train transcription and weft transcribe: what they learn, print and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/comparing.h"
#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/tasks/transcription/toy_sounds.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kRecogniserTraining =
    "train transcription -t train.tsv --valid-sets valid.tsv -v text.vocab -m speech.safetensors "
    "--sample-rate 8000 --mel-bins 16 --subsampling-layers 1 --enc-depth 1 --dim-emb 32 "
    "--transformer-dim-ffn 64 --mini-batch 8 --lr-warmup 20 --learn-rate 0.005 --time-masks 0 "
    "--frequency-masks 0 ";

class Transcribe : public testing::Test {
 protected:
  Transcribe() {
    write_toy_sounds(folder_);
    folder_.file("train.tsv", sounds_text(1, 200));
    folder_.file("valid.tsv", sounds_text(2, 30));
  }
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  void train(const std::string& more) const {
    const ProcessResult result = run(kRecogniserTraining + more);
    ASSERT_EQ(result.status, 0) << result.errors;
  }

  Scratch folder_;
};

TEST_F(Transcribe, LearnsWhatIsSpoken) {
  for (const std::string decoder : {"ctc", "attention --dec-depth 1", "joint --dec-depth 1"}) {
    SCOPED_TRACE(decoder);
    train("--overwrite --after 20e --decoder " + decoder);
    const ProcessResult found = run("transcribe -m speech.safetensors --evaluate valid.tsv");
    ASSERT_EQ(found.status, 0) << found.errors;
    ASSERT_THAT(found.output, HasSubstr("word error rate 0."));
    EXPECT_LT(std::stod(found.output.substr(found.output.find("0."))), 0.1) << found.output;
    const auto measured = nlohmann::json::parse(run("transcribe -m speech.safetensors --evaluate "
                                                    "valid.tsv --json --predictions found.jsonl")
                                                    .output);
    EXPECT_EQ(measured["texts"], 30);
    expect_compared(folder_, "found.jsonl", 30, "WER", measured["word_error_rate"]["rate"]);
  }
}

TEST_F(Transcribe, SaysWhenWordsAreSpokenAndCutsLongSounds) {
  train("--decoder ctc --vocab-type word --after 20e");
  // Two tones with a second of silence between them.
  std::vector<int16_t> samples(4000);
  for (const double frequency : {400.0, 1600.0}) {
    const auto one = tone(1000, frequency, kToyRate);
    samples.insert(samples.end(), one.begin(), one.end());
    samples.resize(samples.size() + 8000);
  }
  RandomStream random(1, 0);
  for (int16_t& sample : samples) sample += static_cast<int16_t>(random.below(100));
  folder_.file("long.wav", wav_of(samples, kToyRate));
  for (const std::string seconds : {"30", "1.5"}) {
    SCOPED_TRACE(seconds);
    const ProcessResult found = run(
        "transcribe -m speech.safetensors --format json --max-seconds " + seconds, "long.wav\n");
    ASSERT_EQ(found.status, 0) << found.errors;
    const auto json = nlohmann::json::parse(found.output);
    EXPECT_EQ(json["audio"], "long.wav");
    EXPECT_EQ(json["text"], "w0 w3") << found.output;
    EXPECT_NEAR(json["seconds"].get<double>(), 2.75, 0.01);
    ASSERT_EQ(json["words"].size(), 2u);
    EXPECT_EQ(json["words"][0]["word"], "w0");
    EXPECT_NEAR(json["words"][0]["begin"].get<double>(), 0.5, 0.2);
    EXPECT_EQ(json["words"][1]["word"], "w3");
    EXPECT_NEAR(json["words"][1]["begin"].get<double>(), 1.625, 0.2);
    EXPECT_EQ(found.errors.find("in several windows") != std::string::npos, seconds == "1.5");
  }
}

TEST_F(Transcribe, AnswersEveryLine) {
  train("--after 1u");
  const ProcessResult found =
      run("transcribe -m speech.safetensors --format json --strict", "\nnone.wav\nsounds/1.wav\n");
  EXPECT_EQ(found.status, 1);
  const std::vector<std::string> lines = split_lines(found.output);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(nlohmann::json::parse(lines[0])["error"], "cannot be read");
  EXPECT_EQ(nlohmann::json::parse(lines[1])["error"], "cannot be read");
  EXPECT_TRUE(nlohmann::json::parse(lines[2]).contains("text"));
  EXPECT_THAT(found.errors, HasSubstr("line 2: none.wav: cannot be opened"));
}

TEST_F(Transcribe, RefusesWhatContradicts) {
  train("--decoder ctc --after 1u");
  struct Wrong {
    std::string command, error;
  };
  for (const Wrong& w : {
           Wrong{"transcribe -m speech.safetensors --ctc-weight 0.5",
                 "--ctc-weight: is for models of --decoder joint; the model's is ctc"},
           Wrong{"transcribe -m speech.safetensors --evaluate valid.tsv --format json",
                 "--format: "},
           Wrong{"transcribe -m none", "none: cannot be opened"},
           Wrong{std::string(kRecogniserTraining) + "--overwrite --decoder ctc --dec-depth 3",
                 "--dec-depth: "},
           Wrong{"train transcription -t train.tsv -v v -m m --type rnn",
                 "--type: rnn has no decoder"},
           Wrong{"train transcription -t train.tsv -v v -m m --mel-bins 500",
                 "--mel-bins: 500 bins are narrower"},
           Wrong{"train transcription -t train.tsv -v v -m m --pretrained-model none",
                 "none: cannot be opened"},
           Wrong{"train transcription -t none.tsv -v v -m m", "none.tsv: cannot be opened"},
       }) {
    const ProcessResult result = run(w.command, "sounds/1.wav\n");
    EXPECT_NE(result.status, 0) << w.command;
    EXPECT_THAT(result.errors, HasSubstr(w.error)) << w.command;
  }
}

}  // namespace
}  // namespace weft::test
