// weft train transcription and weft transcribe: what they learn, print and refuse.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/comparing.h"
#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/tasks/transcription/toy_sounds.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kTranscriberTraining =
    "train transcription -t train.tsv --valid-sets valid.tsv -v text.vocab -m speech.safetensors "
    "--sample-rate 8000 --mel-bins 16 --subsampling-layers 1 --enc-depth 1 --dim-emb 32 "
    "--transformer-dim-ffn 64 --mini-batch 8 --lr-warmup 20 --learn-rate 0.005 --time-masks 0 "
    "--frequency-masks 0 --preset none --precision float32 --lr-schedule linear "
    "--lr-decay-updates 0 ";

// A recording of words with a second of silence after each, as 16-bit samples.
std::vector<int16_t> words_with_pauses(std::initializer_list<double> frequencies) {
  std::vector<int16_t> samples(4000);
  for (const double frequency : frequencies) {
    const auto one = tone(1000, frequency, kToyRate);
    samples.insert(samples.end(), one.begin(), one.end());
    samples.resize(samples.size() + 8000);
  }
  RandomStream random(1, 0);
  for (int16_t& sample : samples) sample += static_cast<int16_t>(random.below(100));
  return samples;
}
std::vector<int16_t> two_words() { return words_with_pauses({400, 1600}); }
std::string bytes_of(const std::vector<int16_t>& samples) {
  return {reinterpret_cast<const char*>(samples.data()), 2 * samples.size()};
}

class Transcribe : public testing::Test {
 protected:
  Transcribe() {
    write_toy_sounds(folder_);
    // Recordings with pauses too, as these tests are not about sounds of another kind.
    std::string text = sounds_text(1, 200);
    for (const auto& [name, words, samples] :
         {std::tuple("both.wav", "w0 w3", two_words()),
          std::tuple("first.wav", "w0", words_with_pauses({400})),
          std::tuple("second.wav", "w3", words_with_pauses({1600}))}) {
      folder_.file(name, wav_of(samples, kToyRate));
      for (int i = 0; i < 12; ++i) text += std::string(name) + "\t" + words + "\n";
    }
    folder_.file("train.tsv", text);
    folder_.file("valid.tsv", sounds_text(2, 30));
  }
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  // These few sounds are learned in fewer updates where their loudness counts. Such short trainings
  // end in other models where sums are rounded in another order, so that all processors take the
  // same instructions.
  void train(const std::string& more) const {
    const bool has_norm = more.find("--frame-norm") != std::string::npos;
    const ProcessResult result =
        run_weft(words_of(kTranscriberTraining + more + (has_norm ? "" : " --frame-norm global")),
                 {.environment = {"WEFT_MAX_CPU_ISA=avx2"}, .folder = folder_.folder()});
    ASSERT_EQ(result.status, 0) << result.errors;
  }

  Scratch folder_;
};

TEST_F(Transcribe, LearnsWhatIsSpoken) {
  for (const std::string decoder : {"ctc", "attention --dec-depth 1", "joint --dec-depth 1"}) {
    SCOPED_TRACE(decoder);
    train("--overwrite --after 50e --decoder " + decoder);
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
  train("--decoder ctc --vocab-type word --after 30e");
  folder_.file("long.wav", wav_of(two_words(), kToyRate));
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

TEST_F(Transcribe, WritesSubtitlesOfOneSound) {
  train("--decoder ctc --vocab-type word --after 30e");
  folder_.file("two.wav", wav_of(two_words(), kToyRate));
  const std::string time = "00:00:0[0-9][.,][0-9][0-9][0-9]";
  const std::string span = time + " --> " + time;
  const ProcessResult srt = run("transcribe -m speech.safetensors --format srt", "two.wav\n");
  EXPECT_THAT(srt.output, testing::MatchesRegex("1\n" + span + "\nw0\n\n2\n" + span + "\nw3\n\n"));
  EXPECT_THAT(srt.output, HasSubstr(","));
  const ProcessResult vtt = run("transcribe -m speech.safetensors --format vtt", "two.wav\n");
  EXPECT_THAT(vtt.output,
              testing::MatchesRegex("WEBVTT\n\n1\n" + span + "\nw0\n\n2\n" + span + "\nw3\n\n"));
  const ProcessResult both =
      run("transcribe -m speech.safetensors --format srt", "two.wav\ntwo.wav\n");
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.errors, HasSubstr("--format: srt is for one sound; got a second, two.wav"));
}

// Samples through a named pipe that stays open: the first word is written before the second one is
// there. The text is that of the same sound as a file.
TEST_F(Transcribe, AnswersWhileSoundIsComing) {
  train("--decoder ctc --vocab-type word --after 30e");
  const std::string samples = bytes_of(two_words());
  const std::string fifo = folder_.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int writer = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  auto done = std::async(std::launch::async, [&] {
    return run("transcribe -m speech.safetensors --raw s16le --step 0.25 -i fifo -o out");
  });
  const size_t half = 2 * (4000 + 1000 + 6000);
  ASSERT_EQ(::write(writer, samples.data(), half), static_cast<ssize_t>(half));
  std::string first;
  for (int i = 0; i < 6000 && first.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (std::filesystem::exists(folder_.path("out"))) first = read_bytes(folder_.path("out"));
  }
  EXPECT_THAT(first, testing::MatchesRegex("\\[00:00:00.* --> 00:00:0.*\\] w0\n"));
  const size_t rest = samples.size() - half;
  EXPECT_EQ(::write(writer, samples.data() + half, rest), static_cast<ssize_t>(rest));
  ::close(writer);
  EXPECT_EQ(done.get().status, 0);
  const std::string all = read_bytes(folder_.path("out"));
  EXPECT_THAT(all, testing::StartsWith(first));
  EXPECT_THAT(all, testing::MatchesRegex("[^\n]*\\] w0\n[^\n]*\\] w3\n"));
  // From standard input, at another rate, as objects and as subtitles.
  const ProcessResult json =
      run("transcribe -m speech.safetensors --raw s16le --format json", samples);
  const std::vector<std::string> lines = split_lines(json.output);
  ASSERT_EQ(lines.size(), 2u) << json.output;
  EXPECT_EQ(nlohmann::json::parse(lines[1])["words"][0]["word"], "w3");
  const ProcessResult vtt =
      run("transcribe -m speech.safetensors --raw s16le --format vtt", samples);
  EXPECT_THAT(vtt.output, testing::StartsWith("WEBVTT\n\n1\n00:00:00."));
  EXPECT_THAT(vtt.output, HasSubstr("\nw0\n\n2\n"));
}

// What comes after the first word, or in subtitles after the header, is that of a sound that ends.
TEST_F(Transcribe, WritesTheLastWordsAfterASignal) {
  train("--decoder ctc --vocab-type word --after 30e");
  std::vector<int16_t> cut = two_words();
  cut.resize(4000 + 1000 + 8000 + 1000);
  const std::string samples = bytes_of(cut);
  const std::string fifo = folder_.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string command = "transcribe -m speech.safetensors --raw s16le --step 0.25 --format ";
  for (const auto& [format, signal] : {std::pair("text", SIGINT), std::pair("vtt", SIGTERM)}) {
    SCOPED_TRACE(format);
    const ProcessResult ended = run(command + format, samples);
    EXPECT_THAT(ended.output, HasSubstr("w3\n"));
    const int writer = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
    Process process(weft_command(words_of(command + format + " -i fifo")),
                    {.folder = folder_.folder()});
    ASSERT_EQ(::write(writer, samples.data(), samples.size()), std::ssize(samples));
    while (process.output().empty() && process.is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    process.send(signal);
    const ProcessResult result = process.wait();
    ::close(writer);
    EXPECT_EQ(result.status, 128 + signal) << result.errors;
    EXPECT_EQ(result.output, ended.output);
  }
}

// libsndfile prints about a damaged MIDI Sample Dump; its output is not a result.
TEST_F(Transcribe, PrintsAResultForEachSoundAlone) {
  train("--after 1u");
  folder_.file("dump.sds",
               std::string("\xF0\x7E\0\1\0\0\x10\x24\x1D\1\x64\0\0\0\0\0\0\0\0\x7F\xF7", 21) +
                   std::string(254, '\1'));
  const ProcessResult found =
      run("transcribe -m speech.safetensors --format json", "dump.sds\nsounds/1.wav\n");
  const std::vector<std::string> lines = split_lines(found.output);
  ASSERT_EQ(lines.size(), 2u) << found.output;
  EXPECT_EQ(nlohmann::json::parse(lines[0])["error"], "cannot be read");
  EXPECT_EQ(nlohmann::json::parse(lines[1])["audio"], "sounds/1.wav");
  EXPECT_THAT(found.errors, HasSubstr("line 1: dump.sds: unknown format; expected WAV, FLAC"));
}

// A fiftieth of the loudness.
TEST_F(Transcribe, HearsQuietVoices) {
  std::string paths;
  for (int number = 0; number < 10; ++number) {
    std::vector<int16_t> samples = toy_samples(number);
    for (int16_t& sample : samples) sample = static_cast<int16_t>(sample / 50);
    const std::string name = "quiet" + std::to_string(number) + ".wav";
    folder_.file(name, wav_of(samples, kToyRate));
    paths += name + "\n";
  }
  std::string expected;
  for (int number = 0; number < 10; ++number) expected += toy_text(number) + "\n";
  train("--decoder ctc --vocab-type word --after 30e --frame-norm peak");
  EXPECT_EQ(run("transcribe -m speech.safetensors", paths).output, expected);
  train("--decoder ctc --vocab-type word --after 30e --overwrite");
  const ProcessResult deaf = run("transcribe -m speech.safetensors", paths);
  EXPECT_NE(deaf.output, expected);
}

TEST_F(Transcribe, WarnsWhereMostTextsAreEmpty) {
  train("--decoder ctc --after 1u");
  folder_.file("short.wav", wav_of(std::vector<int16_t>(10), kToyRate));  // less than a frame
  const ProcessResult found = run("transcribe -m speech.safetensors", "short.wav\nshort.wav\n");
  ASSERT_EQ(found.output, "\n\n");
  const std::string warning = "2 of 2 sounds gave no text; are they as loud as those of training";
  EXPECT_THAT(found.errors, HasSubstr(warning));
  const ProcessResult raw =
      run("transcribe -m speech.safetensors --raw s16le", bytes_of(std::vector<int16_t>(10)));
  EXPECT_EQ(raw.status, 0);
  EXPECT_THAT(raw.errors, HasSubstr("1 of 1 sound gave no text; are they as loud"));
  folder_.file("short.tsv", "short.wav\ta\nshort.wav\tb\n");
  const ProcessResult measured = run("transcribe -m speech.safetensors --evaluate short.tsv");
  EXPECT_EQ(measured.status, 0);
  EXPECT_THAT(measured.errors, HasSubstr(warning));
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
           Wrong{"transcribe -m speech.safetensors --rate 8000", "--rate: belongs to --raw s16le"},
           Wrong{"transcribe -m speech.safetensors --raw s16le --strict",
                 "--strict: is not read with --raw"},
           Wrong{"transcribe -m speech.safetensors --raw S16_LE", "--raw: "},
           Wrong{std::string(kTranscriberTraining) + "--overwrite --gain-perturbation 20",
                 "--gain-perturbation: belongs to --frame-norm global"},
           Wrong{std::string(kTranscriberTraining) + "--overwrite --decoder ctc --dec-depth 3",
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
