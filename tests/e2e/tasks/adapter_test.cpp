// Adapters by the program: trained, killed, used, compared, merged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/ranks.h"
#include "tests/e2e/translating.h"
#include "tests/model_file/small_chat_model.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "tests/tasks/labels/toy_labels.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

void write_base(const Scratch& folder) {
  const auto session = model_file::small_chat_model();
  model_file::save(folder.path("base"), session, session.parameters);
  std::string lines;
  for (int i = 0; i < 60; ++i) {
    const std::string letter(1, static_cast<char>('a' + i % 20));
    lines += R"({"prompt": "say )" + letter + R"(", "completion": " )" + letter + letter + "\"}\n";
  }
  folder.file("train.jsonl", lines);
}

std::vector<std::string> adapter_training(int updates, const std::string& more = "") {
  return command_with(
      "train language-model --from base --lora-rank 4 --lora-dropout 0.1 -t train.jsonl "
      "--valid-sets train.jsonl -m model.safetensors --mini-batch-words 100 --max-length 64 "
      "--preset none --lr-warmup 5 --learn-rate 0.02 --disp-freq 10 --valid-freq 10u --save-freq "
      "7u --threads 2",
      "--after " + std::to_string(updates) + "u " + more);
}

class AdapterCommands : public testing::Test {
 protected:
  AdapterCommands() { write_base(folder_); }

  static ProcessResult train(const Scratch& folder, int updates, const std::string& more = "") {
    return run_weft(adapter_training(updates, more), {.folder = folder.folder()});
  }
  ProcessResult run(const std::string& command, const std::string& input = "") const {
    return run_weft(words_of(command), {.input = input, .folder = folder_.folder()});
  }
  ProcessResult generate(const std::string& models) const {
    return run("generate --temperature 0 --max-length 8 -m " + models, "say a\nsay b\n\n");
  }

  Scratch folder_;
};

TEST_F(AdapterCommands, KilledAtAnyMomentEndsWithTheSameBytes) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    Process training_(weft_command(adapter_training(kEndless)), {.folder = folder_.folder()});
    ASSERT_TRUE(training_.wait_for_error_text("0 loss"));
    training_.send(signal);
    training_.wait();
  }
  const Scratch reference;
  write_base(reference);
  expect_to_end_as_if_never_interrupted(
      folder_, reference, updates_done(folder_) + 15,
      [](const Scratch& folder, int updates) { return train(folder, updates); });
}

TEST_F(AdapterCommands, RunBesideTheirModelAsTheMergedModelDoes) {
  ASSERT_EQ(train(folder_, 60).status, 0);
  const ProcessResult merged =
      run("convert -m base --lora model.safetensors --merge -o merged --check merged.gguf");
  EXPECT_NE(merged.status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("merged")));
  expect_success(run("convert -m base --lora model.safetensors --merge -o merged"));
  const std::string adapted = generate("base --lora model.safetensors").output;
  EXPECT_EQ(adapted, generate("merged").output);
  EXPECT_NE(adapted, generate("base").output);
  EXPECT_EQ(generate("base --lora model.safetensors --mini-batch 1 --threads 1").output, adapted);

  const ProcessResult check =
      run("convert -m base --lora model.safetensors --check merged base --check-text train.jsonl");
  ASSERT_EQ(check.status, 0) << check.errors;
  const size_t second = check.output.find("compared with base\n");
  ASSERT_NE(second, check.output.npos);
  EXPECT_THAT(check.output.substr(0, second), HasSubstr("same greedy text: 60 of 60 lines"));
  EXPECT_THAT(check.output.substr(second), testing::Not(HasSubstr("same greedy text: 60 of 60")));

  folder_.file("lines", "say a aa\n");
  const std::string score = "score -t lines -m ";
  const std::string of_adapter = run(score + "base --lora model.safetensors").output;
  EXPECT_NE(of_adapter, run(score + "base").output);
  EXPECT_NEAR(std::stod(of_adapter), std::stod(run(score + "merged").output), 1e-4);

  const auto continuation = [&](const std::string& models) {
    expect_success(run("inspect --data data --max-continuation 8 -m " + models, "say a\n"));
    const auto data = nlohmann::json::parse(read_bytes(folder_.path("data")));
    return data["models"][0]["examples"][0]["predictions"][0]["text"].get<std::string>();
  };
  EXPECT_EQ(continuation("base --lora model.safetensors"), continuation("merged"));
  EXPECT_NE(continuation("base --lora model.safetensors"), continuation("base"));
}

TEST_F(AdapterCommands, AreExportedMerged) {
  ASSERT_EQ(train(folder_, 20).status, 0);
  expect_success(run("convert -m base --lora model.safetensors --merge -o merged"));
  expect_success(run("convert -m base --lora model.safetensors --merge --to-hf hf"));
  expect_success(run("convert --from-hf hf -o back"));
  const ProcessResult same = run("convert -m back --check merged --check-limit 0");
  EXPECT_EQ(same.status, 0) << same.errors;
  EXPECT_NE(run("convert -m back --check base --check-limit 0").status, 0);
}

TEST_F(AdapterCommands, GoToPeftAndBack) {
  ASSERT_EQ(train(folder_, 20).status, 0);
  expect_success(run("convert -m base --lora model.safetensors --to-peft peft"));
  EXPECT_EQ(generate("base --lora peft").output, generate("base --lora model.safetensors").output);
  expect_success(run("convert -m base --lora model.safetensors --merge -o merged"));
  const ProcessResult same = run("convert -m base --lora peft --check merged --check-limit 1e-9");
  EXPECT_EQ(same.status, 0) << same.errors;
  const ProcessResult again = run("convert -m base --lora peft --to-peft peft");
  EXPECT_NE(again.status, 0);
  EXPECT_THAT(again.errors, HasSubstr("peft: exists; expected the name of a new or an empty"));
}

TEST_F(AdapterCommands, SayWhatIsWrong) {
  ASSERT_EQ(train(folder_, 1).status, 0);
  const struct {
    const char* command;
    const char* expected;
  } cases[] = {
      {"generate -m model.safetensors", "model.safetensors: is a model of type 'adapter'"},
      {"generate -m base --lora base", "base: is a model of type 'language-model'; expected"},
      {"generate -m base --lora none", "none: cannot"},
      {"inspect -m base --lora base", "--lora: is not read without --html or --data"},
      {"inspect -m base --lora base --data x", "base: is a model of type 'language-model'"},
      {"generate -m base --lora train.jsonl", "train.jsonl: "},
      {"convert -m base --lora model.safetensors -o x", "--output: is not read without --from-hf"},
      {"convert -m base --lora model.safetensors --to-hf x",
       "--lora: expected --merge: models that are written have no adapter"},
      {"convert -m base --merge --to-hf x", "--merge: is not read without --lora"},
      {"convert -m base --to-peft x", "--to-peft: is not read without --lora"},
      {"convert -m base --lora model.safetensors",
       "nothing to do; expected --to-hf, --to-gguf, --to-peft or --check"},
      {"convert -m base --lora model.safetensors --merge -o model.safetensors --overwrite",
       "--output: would overwrite model.safetensors, which is an input"},
      {"train language-model --from base -t train.jsonl -m model.safetensors",
       "is a model of type 'adapter', of another task"},
      {"train language-model --from model.safetensors -t train.jsonl -m n",
       "model.safetensors: is a model of type 'adapter'"},
      {"quantize -m model.safetensors -o x", "model.safetensors: is a model of type 'adapter'"},
  };
  const std::vector<std::string> before = folder_.names();
  for (const auto& [command, expected] : cases) {
    const ProcessResult result = run(command, "say a\n");
    EXPECT_NE(result.status, 0) << command;
    EXPECT_THAT(result.errors, HasSubstr(expected)) << command;
  }
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(AdapterCommands, TrainOnRanksAsInOneProcess) {
  if (!std::filesystem::exists(mpirun_path())) GTEST_SKIP() << "no MPI";
  const std::string exact = "--precision float32 --threads 1";
  const Scratch reference;
  write_base(reference);
  expect_success(train(reference, 3, exact));
  expect_success(run_process(mpirun_command(2, weft_command(adapter_training(3, exact))),
                             mpirun_options(folder_.folder())));
  const auto updates = [](const Scratch& folder) {
    return formats::SafetensorsFile(folder.path("model.safetensors"))
        .tensor("model.decoder.layers.1.fc2.lora_b.weight")
        .clone();
  };
  EXPECT_LT(test::distance(updates(folder_), updates(reference)), 1e-5);
}

}  // namespace
}  // namespace weft::test
