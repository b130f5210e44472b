// What every task on labelled examples holds: exact resumption, ranks, N lines in and N results
// out, and the same result for a line in any batch, in any precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>

#include "tests/e2e/ranks.h"
#include "tests/e2e/translating.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "tests/tasks/labels/toy_boxes.h"
#include "tests/tasks/labels/toy_labels.h"
#include "tests/tasks/labels/toy_pictures.h"
#include "tests/tasks/labels/toy_sequences.h"
#include "tests/tasks/labels/toy_tags.h"
#include "tests/tasks/transcription/toy_sounds.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

// A task, what it trains on, and what its model is used by.
struct LabelTask {
  const char* name;
  const char* train;  // the task and options of its own
  const char* use;    // the command and options of its own that show all a model says
  std::string (*text)(uint64_t seed, int lines);
  std::string (*words)(const std::string& text);  // of it, a line for each text
  const char* odd;                                // four more lines, and what is said of them
  const char* report;
  void (*write_files)(const Scratch& folder) = [](const Scratch&) {};
  const char* layers = "--enc-depth 1";
  friend std::ostream& operator<<(std::ostream& out, const LabelTask& t) { return out << t.name; }
};

std::string behind_tabs(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) out += line.substr(line.find('\t') + 1) + "\n";
  return out;
}

std::string before_tabs(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) out += line.substr(0, line.find('\t')) + "\n";
  return out;
}

std::string lines_of_words(uint64_t seed, int lines) { return toy_text(seed, lines).source; }

std::string all_of_lines(const std::string& text) { return text; }

// Lines with `first` in the place of their first words.
std::string lines_from(const std::string& first, const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    out += first + line.substr(std::min(line.find(' '), line.size())) + "\n";
  }
  return out;
}
std::string masked_lines(const std::string& text) { return lines_from("[MASK]", text); }
std::string sentinel_lines(const std::string& text) { return lines_from("<extra_id_0>", text); }

// A line, its words in reverse, and another line.
std::string grouped_text(uint64_t seed, int lines) {
  const ToyText text = toy_text(seed, lines), others = toy_text(seed + 1, lines);
  std::istringstream first(text.source), second(text.target), third(others.source);
  std::string out, a, b, c;
  while (std::getline(first, a) && std::getline(second, b) && std::getline(third, c)) {
    out += a + "\t" + b + "\t" + c + "\n";
  }
  return out;
}

// Two lines and a number.
std::string scored_text(uint64_t seed, int lines) {
  const ToyText text = toy_text(seed, lines);
  std::istringstream first(text.source), second(text.target);
  std::string out, other;
  int number = 0;
  for (std::string line; std::getline(first, line) && std::getline(second, other);) {
    out += line + "\t" + other + "\t0." + std::to_string(number++ % 10) + "\n";
  }
  return out;
}

// A teacher of this task with another vocabulary, and lines without labels.
void write_teacher(const Scratch& folder, const std::string& task,
                   std::string (*text)(uint64_t seed, int lines)) {
  folder.file("teacher.tsv", text(4, 150));
  folder.file("lines.txt", lines_of_words(5, 100));
  const ProcessResult trained =
      run_weft(words_of("train " + task +
                        " -t teacher.tsv -v teacher.vocab -m teacher --enc-depth 1 --dim-emb 32 "
                        "--lr-warmup 4 --mini-batch-words 200 --after 10u --threads 1"),
               {.folder = folder.folder()});
  ASSERT_EQ(trained.status, 0) << trained.errors;
}

constexpr const char* kOddText = "\nw1\n \nunknown words\n";
constexpr const char* kTextReport = "44 lines: 2 empty, 1 with unknown tokens";

constexpr const char* kEmbeddingReport = "44 lines: 1 with unknown tokens, 2 without words";

const LabelTask kLabelTasks[] = {
    {"OneLabel", "classification -v words.vocab --pooling attention", "classify --scores",
     one_label_text, behind_tabs, kOddText, kTextReport},
    {"SeveralLabels", "classification -v words.vocab --labels several --type rnn --calibrate",
     "classify --scores", several_labels_text, behind_tabs, kOddText, kTextReport},
    {"LabelSequence", "classification -v words.vocab --labels sequence", "classify --scores",
     several_labels_text, behind_tabs, kOddText, kTextReport},
    {"Pictures",
     "classification --input image --position rotary-2d --pooling first --random-crop 1 "
     "--random-erasing 0.3 --mix-up 0.4 --patch-embedding convolutions",
     "classify --scores", pictures_text, behind_tabs, "\nmissing.png\n \ntrain.tsv\n",
     "44 lines: 1 empty, 3 that cannot be read (left empty)", write_toy_pictures},
    {"Sequences",
     "classification --input features --missing last --position learned --max-positions 15",
     "classify --scores", sequences_text, behind_tabs, "\nmissing.csv\n \ntrain.tsv\n",
     "44 lines: 1 empty, 3 that cannot be read (left empty)", write_toy_sequences},
    {"Boxes",
     "detection --patch-size 4 --transformer-heads 4 --query-count 6 --dec-depth 2 --mini-batch 12 "
     "--random-crop 2 --random-flip",
     "detect --threshold 0", boxes_text, paths_of_boxes, "\nmissing.png\n \ntrain.tsv\n",
     "44 lines: 1 empty, 3 that cannot be read (left empty)", write_boxed_pictures},
    {"Sounds",
     "transcription -v words.vocab --dec-depth 1 --mel-bins 16 --sample-rate 8000 "
     "--subsampling-layers 1 --subsampling-channels 16",
     "transcribe --format json --beam-size 3", sounds_text, before_tabs,
     "\nmissing.wav\n \ntrain.tsv\n", "44 lines: 1 empty, 3 that cannot be read (left empty)",
     write_toy_sounds},
    {"SoundsByCtc",
     "transcription -v words.vocab --decoder ctc --type rnn --mel-bins 16 --sample-rate 8000 "
     "--valid-metrics cross-entropy",
     "transcribe --format json", sounds_text, before_tabs, "\nmissing.wav\n \ntrain.tsv\n",
     "44 lines: 1 empty, 3 that cannot be read (left empty)", write_toy_sounds},
    {"Tags", "tagging -v words.vocab --word-labels 1 2 --text-labels 3 --crf spans", "tag --scores",
     tagged_text, words_of_tagged, kOddText, kTextReport},
    {"TagsByCharacters", "tagging -v words.vocab --char-encoder cnn --type rnn --word-dropout 0.1",
     "tag --scores --layout tsv", tagged_text, words_of_tagged, kOddText, kTextReport},
    {"OneLabelOfATeacher",
     "classification -v words.vocab --teacher teacher --teacher-temperature 2 --unlabelled "
     "lines.txt --valid-metrics cross-entropy",
     "classify --scores", one_label_text, behind_tabs, kOddText, kTextReport,
     [](const Scratch& folder) { write_teacher(folder, "classification", one_label_text); }},
    {"TagsOfATeacher",
     "tagging -v words.vocab --word-labels 1 2 --text-labels 3 --teacher teacher --unlabelled "
     "lines.txt",
     "tag --scores", tagged_text, words_of_tagged, kOddText, kTextReport,
     [](const Scratch& folder) {
       write_teacher(folder, "tagging --word-labels 1 2 --text-labels 3 --crf spans", tagged_text);
     }},
    {"EmbeddingsOfATeacher",
     "embedding -v words.vocab --loss triplet --triplet-margin 1 --teacher teacher "
     "--teacher-weight 0.1 --unlabelled lines.txt --valid-metrics loss",
     "embed", grouped_text, before_tabs, kOddText, kEmbeddingReport,
     [](const Scratch& folder) { write_teacher(folder, "embedding", grouped_text); }},
    {"LanguageModel", "language-model -v words.vocab --format lines",
     "generate --temperature 0 --max-length 6 --word-scores", lines_of_words, all_of_lines,
     kOddText, "continued 44 lines", [](const Scratch&) {}, "--dec-depth 1"},
    {"EmbeddingsOfTriplets",
     "embedding -v words.vocab --loss triplet --triplet-margin 1 --matryoshka 8 --valid-metrics "
     "loss",
     "embed", grouped_text, before_tabs, kOddText, kEmbeddingReport},
    {"EmbeddingsOfScores",
     "embedding -v words.vocab --format scores --loss cosine --valid-metrics loss", "embed",
     scored_text, before_tabs, kOddText, kEmbeddingReport},
    {"MaskedLm", "masked-lm -v words.vocab --begin-symbol --valid-metrics cross-entropy accuracy",
     "fill --top 3", lines_of_words, masked_lines, kOddText,
     "44 lines: 2 empty, 2 without a mask (left empty)"},
    {"MaskedWords", "masked-lm -v characters.vocab --vocab-type character --whole-words",
     "fill --json", lines_of_words, masked_lines, kOddText,
     "44 lines: 2 empty, 2 without a mask (left empty)"},
    {"SpanCorruption", "span-corruption -v words.vocab --sentinels 4", "translate --word-scores",
     lines_of_words, sentinel_lines, kOddText, "translated 44 lines", [](const Scratch&) {},
     "--enc-depth 1 --dec-depth 1"},
};

// Those whose models are no translators.
std::vector<LabelTask> tasks_of_other_kinds() {
  std::vector<LabelTask> out(std::begin(kLabelTasks), std::end(kLabelTasks));
  std::erase_if(out, [](const LabelTask& task) {
    return std::string_view(task.use).starts_with("translate");
  });
  return out;
}

class EveryLabelTask : public testing::TestWithParam<LabelTask> {
 protected:
  EveryLabelTask() {
    for (const Scratch* folder : {&folder_, &reference_}) {
      write_files(*folder);
    }
  }
  static void write_files(const Scratch& folder) {
    GetParam().write_files(folder);
    folder.file("train.tsv", GetParam().text(1, 300));
    folder.file("valid.tsv", GetParam().text(2, 40));
  }
  static std::vector<std::string> training(int updates, const std::string& more = "") {
    const bool fits = more.find("--mini-batch-fit") != more.npos;
    const std::string command =
        std::string("train ") + GetParam().train + (fits ? "" : " --mini-batch-words 200") +
        " -t train.tsv --valid-sets valid.tsv -m model.safetensors " + GetParam().layers +
        " --dim-emb 32 --lr-warmup 10 --learn-rate 0.005 --disp-freq 10 "
        "--valid-freq 10u --save-freq 7u --threads 2";
    return command_with(command, "--after " + std::to_string(updates) + "u " + more);
  }
  static ProcessResult train(const Scratch& folder, int updates, const std::string& more = "") {
    return run_weft(training(updates, more), {.folder = folder.folder()});
  }
  ProcessResult use(const std::string& more, const std::string& input) const {
    return run_weft(words_of(std::string(GetParam().use) + " " + more),
                    {.input = input, .folder = folder_.folder()});
  }
  std::string lines(int count) const { return GetParam().words(GetParam().text(3, count)); }

  Scratch folder_, reference_;
};

TEST_P(EveryLabelTask, KilledAtAnyMomentEndsWithTheSameBytes) {
  RandomStream random(11, 0);
  for (int attempt = 0; attempt < 3; ++attempt) {
    Process training_(weft_command(training(kEndless)), {.folder = folder_.folder()});
    ASSERT_TRUE(training_.wait_for_error_text("0 loss"));
    training_.send(attempt == 1 ? SIGTERM : SIGKILL);
    training_.wait();
  }
  expect_to_end_as_if_never_interrupted(
      folder_, reference_, updates_done(folder_) + 15,
      [&](const Scratch& folder, int updates) { return train(folder, updates); });
}

TEST_P(EveryLabelTask, GivesALineTheSameResultInAnyBatchAndPrecision) {
  ASSERT_EQ(train(folder_, 60).status, 0);
  const std::string text = lines(40) + GetParam().odd;
  for (const std::string precision : {"float32", "bfloat16", "int8"}) {
    SCOPED_TRACE(precision);
    const std::string model = "-m model.safetensors --precision " + precision;
    const ProcessResult one = use(model + " --mini-batch 1 --threads 1", text);
    ASSERT_EQ(one.status, 0) << one.errors;
    EXPECT_EQ(split_lines(one.output).size(), 44u);
    EXPECT_THAT(one.errors, HasSubstr(GetParam().report));
    for (const std::string batch : {"7", "64"}) {
      EXPECT_EQ(use(model + " --threads 2 --mini-batch " + batch, text).output, one.output);
    }
    const ProcessResult rounded =
        run_weft({"quantize", "-m", "model.safetensors", "-o", "small", "--precision", precision},
                 {.folder = folder_.folder()});
    ASSERT_EQ(rounded.status, 0) << rounded.errors;
    EXPECT_EQ(use("-m small", text).output, one.output);
  }
}

TEST_P(EveryLabelTask, TrainsInBfloat16) {
  const ProcessResult trained = train(folder_, 40, "--precision bfloat16");
  ASSERT_EQ(trained.status, 0) << trained.errors;
  EXPECT_EQ(use("-m model.safetensors", "w1 w2\n").status, 0);
}

// With a rate that changes no weight, what it says is what the other model says.
TEST_P(EveryLabelTask, StartsFromAnotherModel) {
  ASSERT_EQ(train(folder_, 20).status, 0);
  std::filesystem::rename(folder_.path("model.safetensors"), folder_.path("first"));
  std::filesystem::remove(folder_.path(kToyState));
  const std::string none = " --learn-rate 1e-30 --seed 2";
  ASSERT_EQ(train(folder_, 1, none).status, 0);
  const std::string text = lines(5);
  const std::string expected = use("-m first", text).output;
  EXPECT_NE(use("-m model.safetensors", text).output, expected);
  const ProcessResult started = train(folder_, 1, "--overwrite --pretrained-model first" + none);
  ASSERT_EQ(started.status, 0) << started.errors;
  EXPECT_EQ(use("-m model.safetensors", text).output, expected);
  const ProcessResult refused =
      train(folder_, 1, "--overwrite --pretrained-model first --dim-emb 64");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("--dim-emb 32 (now 64)"));
}

TEST_P(EveryLabelTask, FitsBatchesIntoMemory) {
  const ProcessResult fitted = train(folder_, 2, "--mini-batch-fit --workspace 60");
  ASSERT_EQ(fitted.status, 0) << fitted.errors;
  EXPECT_THAT(fitted.errors, HasSubstr("fit into 60 MB"));
  EXPECT_THAT(
      train(folder_, 2, "--overwrite --mini-batch-fit --workspace 60 --mini-batch-words 7").errors,
      HasSubstr("--mini-batch-words: contradicts --mini-batch-fit"));
}

class LabelTaskOfAnotherKind : public EveryLabelTask {};

TEST_P(LabelTaskOfAnotherKind, IsRefusedByCommandsForTranslators) {
  for (const std::string command :
       {"translate", "score -t train.tsv --tsv", "bench decode -i train.tsv"}) {
    const bool scores_texts = std::string_view(GetParam().train).starts_with("language-model");
    if (scores_texts && command.starts_with("score")) continue;
    ASSERT_EQ(train(folder_, 1, "--overwrite").status, 0);
    const ProcessResult refused =
        run_weft(words_of(command + " -m model.safetensors"), {.folder = folder_.folder()});
    EXPECT_NE(refused.status, 0);
    EXPECT_THAT(refused.errors, HasSubstr("model.safetensors: is a model of type '")) << command;
  }
}

TEST_P(LabelTaskOfAnotherKind, RefusesATranslator) {
  const auto model = decode::small_session(decode::small_options());
  model_file::save(folder_.path("translator"), model, model.parameters);
  const ProcessResult refused = use("-m translator", "w1\n");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, HasSubstr("translator: is a model of type 'seq2seq'; expected "));
}

class RanksOfLabelTask : public EveryLabelTask {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(mpirun_path())) {
      GTEST_SKIP() << "no mpirun at '" << mpirun_path() << "'";
    }
  }
  static ProcessResult train_ranks(const Scratch& folder, int ranks, int updates,
                                   const std::string& more) {
    return run_process(
        mpirun_command(ranks, weft_command(training(updates, more + " --threads 1"))),
        mpirun_options(folder.folder()));
  }
};

// Two ranks have the gradient of one, and go on as if they had never stopped.
TEST_P(RanksOfLabelTask, TrainAsOneProcessDoes) {
  const std::string exact = "--precision float32 --valid-freq 0";
  ASSERT_EQ(train(reference_, 1, exact).status, 0);
  const ProcessResult two = train_ranks(folder_, 2, 1, exact);
  ASSERT_EQ(two.status, 0) << two.errors;
  const auto gradient = [](const Scratch& folder) {
    return formats::SafetensorsFile(folder.path(kToyState)).tensor("adam.first").clone();
  };
  EXPECT_LT(test::distance(gradient(folder_), gradient(reference_)), 1e-6);

  Scratch whole, parts;
  for (const Scratch* folder : {&whole, &parts}) {
    write_files(*folder);
  }
  expect_success(train_ranks(whole, 2, 15, ""));
  expect_success(train_ranks(parts, 2, 6, ""));
  expect_success(train_ranks(parts, 2, 15, ""));
  expect_same_files(parts, whole);
}

const auto kNameOfTask = [](const auto& one) { return std::string(one.param.name); };
INSTANTIATE_TEST_SUITE_P(Tasks, EveryLabelTask, testing::ValuesIn(kLabelTasks), kNameOfTask);
INSTANTIATE_TEST_SUITE_P(Tasks, LabelTaskOfAnotherKind, testing::ValuesIn(tasks_of_other_kinds()),
                         kNameOfTask);
INSTANTIATE_TEST_SUITE_P(Tasks, RanksOfLabelTask, testing::ValuesIn(kLabelTasks), kNameOfTask);

}  // namespace
}  // namespace weft::test
