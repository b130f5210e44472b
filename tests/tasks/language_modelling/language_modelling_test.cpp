#include "weft/tasks/language_modelling/language_modelling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/language_modelling/small_modelling.h"
#include "tests/tasks/resumption.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;

TEST(LanguageModelling, GoesOnAsIfNeverStopped) {
  expect_resumes<LanguageModelling>(small_modelling, "");
  expect_resumes<LanguageModelling>(small_modelling, "--label-smoothing 0.1 --optimizer-delay 2");
  expect_resumes<LanguageModelling>(small_modelling,
                                    "--transformer-dropout 0.3 --gradient-checkpointing true");
  expect_resumes<LanguageModelling>(small_tuning, "", 2);
  expect_resumes<LanguageModelling>(small_tuning, "--loss-on all --transformer-dropout 0.2", 2);
}

TEST(LanguageModelling, LearnsWhatFollows) {
  const Scratch folder;
  const test::CapturedLog told;
  LanguageModellingOptions o = small_modelling(
      folder, "--valid-metrics perplexity cross-entropy bits-per-byte --learn-rate 0.02");
  std::string cycle;
  for (int i = 0; i < 300; ++i) cycle += "w" + std::to_string(i % 7) + " ";
  o.data.format = "documents";
  o.data.train_sets = o.validation.valid_sets = {folder.file("cycle.txt", cycle)};
  o.loop.after = options::Period::updates(100);
  train_language_model(o);
  EXPECT_THAT(told.text(), testing::ContainsRegex("validation at update 100: perplexity "
                                                  "1\\.[0-9]+ cross-entropy 0\\.[0-9]+ "
                                                  "bits-per-byte 0\\.[0-9]+, the best"));
}

TEST(LanguageModelling, ValidatesByTheLossOfItsLabels) {
  const Scratch folder;
  LanguageModelling task(small_modelling(folder, "--valid-metrics cross-entropy"));
  const auto group = train::single_process();
  task.make_model(*group, false);
  task.read_data(*group);
  task.begin(DType::kF32);
  std::vector<int64_t> all(static_cast<size_t>(task.dataset()->size()));
  std::iota(all.begin(), all.end(), 0);
  const auto& sequences = dynamic_cast<const data::TokenSequences&>(*task.dataset());
  const data::Batch batch = sequences.batch(all);
  const double loss = task.loss({.batch = batch}, {}).nll;
  task.write_assets();
  const auto session = model_file::new_language_model(
      task.options().model, data::load_tokeniser_file(folder.path("words.vocab")), 1);
  EXPECT_NEAR(text_loss(session.model, sequences).nll, loss, 1e-3 * loss);
  int64_t labels = 0;
  for (const int64_t i : all) labels += task.targets(i);
  EXPECT_EQ(sequences.total_labels(), labels);
}

TEST(LanguageModelling, StartsWithTheWeightsAndTheTemplateOfAModel) {
  const Scratch folder;
  LanguageModellingOptions o = small_tuning(folder, "--learn-rate 1e-30");
  train_language_model(o);
  const auto base = model_file::load<model_file::LanguageModelSession>(o.from);
  const auto tuned = model_file::load<model_file::LanguageModelSession>(o.loop.model);
  EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
  EXPECT_EQ(tuned.chat_templates.serialise(), base.chat_templates.serialise());
  EXPECT_EQ(tuned.tokeniser->serialise(), base.tokeniser->serialise());
  EXPECT_EQ(tuned.adds_begin, base.adds_begin);
}

TEST(LanguageModelling, RefusesOptionsThatContradictTheModelItStartsFrom) {
  const Scratch folder;
  const auto message = [&](const std::string& flags) {
    return test::message_of<OptionError>(
        [&] { train_language_model(small_tuning(folder, flags)); });
  };
  EXPECT_EQ(message("--dim-emb 32"),
            "--dim-emb: is not read with --from; expected its default, 256");
  EXPECT_EQ(message("--vocabs x.vocab"),
            "--vocabs: is not read with --from; expected its default, none");
  EXPECT_EQ(message("--pretrained-model x"),
            "--pretrained-model: is not read with --from; expected its default, none");
  EXPECT_EQ(message("--max-length 300"),
            "--max-length: 300 is over the positions of the model; expected at most 256");
  LanguageModellingOptions o = small_modelling(folder);
  o.data.vocabs.clear();
  EXPECT_EQ(test::message_of<OptionError>([&] { o.validate(); }),
            "--vocabs: expected one vocabulary, or --from, got 0");
}

TEST(LanguageModelling, NamesTheLineThatIsWrong) {
  const Scratch folder;
  LanguageModellingOptions o = small_tuning(folder);
  o.data.train_sets = {folder.file("bad.jsonl", R"({"messages": [{"role": "user"}]})")};
  EXPECT_THAT(test::message_of<FormatError>([&] { train_language_model(o); }),
              HasSubstr("bad.jsonl:1: "));
}

TEST(LanguageModelling, CountsTheBytesThatHaveALoss) {
  const Scratch folder;
  const auto session = model_file::small_chat_model();
  TextDataOptions options;
  const auto bytes = [&](const std::string& line) {
    return read_sequences({folder.file("a.jsonl", line)}, options, session).label_bytes;
  };
  EXPECT_EQ(bytes(R"({"text": "abc"})"), 3);
  EXPECT_EQ(bytes(R"({"prompt": "abc", "completion": "de"})"), 2);
  const std::string dialogue = R"({"messages": [{"role": "user", "content": "abc"},)"
                               R"( {"role": "assistant", "content": "d"}]})";
  EXPECT_EQ(bytes(dialogue), 2);  // with the line break of the template
  options.max_length = 4;
  EXPECT_EQ(bytes(R"({"prompt": "abc", "completion": "defg"})"), 2);
}

TEST(LanguageModelling, NamesTheLineWithoutATemplate) {
  const Scratch folder;
  auto session = model_file::small_chat_model();
  session.chat_templates = {};
  const std::string path =
      folder.file("a.jsonl", R"({"messages": [{"role": "user", "content": "a"}]})");
  EXPECT_EQ(test::message_of<FormatError>([&] { read_sequences({path}, {}, session); }),
            path + ":1: chat: the model has no chat template; expected a model made for chat");
}

TEST(LanguageModelling, CountsWhatIsCropped) {
  const Scratch folder;
  LanguageModellingOptions o = small_tuning(folder);
  o.data.train_sets = {folder.file(
      "long.jsonl", R"({"prompt": "a", "completion": ")" + std::string(200, 'b') + "\"}\n" +
                        R"({"prompt": ")" + std::string(200, 'a') + R"(", "completion": "b"})")};
  const test::CapturedLog told;
  train_language_model(o);
  EXPECT_THAT(told.text(), HasSubstr("long.jsonl: 2 texts, 402 bytes; 1 sequence, 64 tokens to "
                                     "learn, unknown 0 %; 2 cropped to --max-length, 1 of these "
                                     "without a token to learn"));
}

}  // namespace
}  // namespace weft::tasks
