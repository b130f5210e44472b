#include "apps/weft/flags/other_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "apps/weft/command.h"
#include "weft/core/error.h"

namespace weft::app {
namespace {

using testing::HasSubstr;

struct Tool {
  std::string name;
  int (*run)(const CommandInfo& info, const Args& args);
  Args first = {};  // arguments before all others

  std::string error(const std::string& flag, const std::string& value = "1") const {
    Args args = first;
    args.insert(args.end(), {flag, value});
    try {
      run({name, ""}, args);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string help() const {
    Args args = first;
    args.emplace_back("--help");
    testing::internal::CaptureStdout();
    EXPECT_EQ(run({name, ""}, args), 0);
    flush_output();
    return testing::internal::GetCapturedStdout();
  }
};

const std::vector<Tool>& trainings() {
  static const std::vector<Tool> list = {
      {"train", run_train, {"translation"}}, {"train", run_train, {"classification"}},
      {"train", run_train, {"tagging"}},     {"train", run_train, {"transcription"}},
      {"train", run_train, {"detection"}},   {"train", run_train, {"cross-view"}},
      {"train", run_train, {"masked-lm"}},   {"train", run_train, {"span-corruption"}}};
  return list;
}
const std::vector<Tool>& predictions() {
  static const std::vector<Tool> list = {{"translate", run_translate},
                                         {"classify", run_classify},
                                         {"tag", run_tag},
                                         {"detect", run_detect},
                                         {"transcribe", run_transcribe}};
  return list;
}

TEST(OtherFlags, OfEveryTrainingHaveTheirHints) {
  const struct {
    const char* flag;
    const char* message;
  } cases[] = {
      {"--epochs", "--epochs: unknown option; hint: did you mean --after 10e"},
      {"--num_train_epochs", "hint: did you mean --after 10e"},
      {"--max_steps", "hint: did you mean --after 10000u"},
      {"--batch-size", "hint: did you mean --mini-batch, examples, or --mini-batch-words, tokens?"},
      {"--per_device_train_batch_size", "hint: did you mean --mini-batch"},
      {"--patience", "hint: did you mean --early-stopping?"},
      {"--learning_rate", "hint: did you mean --learn-rate?"},
      {"--warmup_steps", "hint: did you mean --lr-warmup?"},
      {"--gradient-accumulation-steps", "hint: did you mean --optimizer-delay?"},
      {"--max-grad-norm", "hint: did you mean --clip-norm?"},
      {"--fp16", "hint: did you mean --precision bfloat16?"},
      {"--device", "hint: Weft runs on the CPU: --threads"},
      {"--num-workers", "hint: did you mean --threads?"},
      {"--output_dir", "hint: did you mean --model, the file that is written?"},
      {"--resume-from-checkpoint", "hint: the same command goes on"},
      {"--eval-steps", "hint: did you mean --valid-freq?"},
      {"--warmup_ratio", "hint: did you mean --lr-warmup-ratio?"},
      {"--test-file", "hint: a test set is for the command that uses the model"},
      {"--enable-checkpointing", "hint: the model and the training state are always written"},
      {"--stochastic-weight-avg", "hint: did you mean --average-checkpoints"},
      {"--fast-dev-run", "hint: did you mean --after 1u, one update?"},
      {"--limit-train-batches", "hint: all of --train-sets is used"},
      {"--limit-val-batches", "hint: all of --valid-sets is measured"},
      {"--deterministic", "hint: trainings with the same options, --seed and --threads"},
      {"--neftune-noise-alpha", "hint: no noise is added to embeddings"},
  };
  for (const Tool& program : trainings()) {
    for (const auto& [flag, message] : cases) {
      EXPECT_THAT(program.error(flag), HasSubstr(message)) << program.first.front();
    }
  }
}

TEST(OtherFlags, HaveHintsOfTheCommandThatTheyAreGivenTo) {
  const Tool &classify = predictions()[1], &tagging = trainings()[2];
  EXPECT_THAT(classify.error("--batch-size"), HasSubstr("--mini-batch? It changes speed"));
  EXPECT_THAT(classify.error("--checkpoint"), HasSubstr("did you mean --model?"));
  EXPECT_THAT(trainings()[0].error("--checkpoint"), HasSubstr("--pretrained-model?"));
  EXPECT_THAT(trainings()[0].error("--model-name-or-path"), HasSubstr("did you mean --from, a"));
  EXPECT_THAT(trainings()[1].error("--model_name_or_path"), HasSubstr("did you mean --from, a"));
  EXPECT_THAT(trainings()[4].error("--model-name-or-path"), HasSubstr("--pretrained-model?"));
  EXPECT_THAT(tagging.error("--neftune-noise-alpha"), HasSubstr("did you mean --word-dropout?"));
  EXPECT_THAT(tagging.error("--num-beams"), HasSubstr("beams are of commands that write text"));
  EXPECT_THAT(classify.error("--num-beams"), HasSubstr("such as weft translate"));
  EXPECT_THAT(trainings()[0].error("--num-beams"), HasSubstr("--valid-beam-size?"));
  EXPECT_THAT(predictions()[0].error("--num-beams"), HasSubstr("did you mean --beam-size?"));
  EXPECT_THAT(tagging.error("--label-column"), HasSubstr("did you mean --word-labels?"));
  EXPECT_THAT(classify.error("--label-column"), HasSubstr("did you mean --label-field?"));
  // A hint of Marian's flag names an option that taggers do not have.
  EXPECT_THAT(tagging.error("--beam-size"), Not(HasSubstr("--valid-beam-size")));
}

TEST(OtherFlags, HaveHintsForValuesOfOtherSystems) {
  for (const Tool& program : {trainings()[1], predictions()[1]}) {
    for (const char* value : {"16", "16-mixed", "bf16-mixed", "BF16", "float16"}) {
      EXPECT_THAT(program.error("--precision", value),
                  AllOf(HasSubstr("--precision: unknown value; expected one of "),
                        HasSubstr("'; hint: did you mean bfloat16?")));
    }
    EXPECT_THAT(program.error("--precision", "32-true"), HasSubstr("did you mean float32?"));
    EXPECT_THAT(program.error("--precision", "fast"), Not(HasSubstr("did you mean bfloat16?")));
  }
}

// Each entry serves a command that has all the options it names.
TEST(OtherFlags, HaveHintsThatNameExistingOptions) {
  const auto expect_served = [](std::span<const OtherFlags> table,
                                const std::vector<Tool>& programs) {
    std::vector<std::string> helps;
    for (const Tool& program : programs) helps.push_back(program.help());
    for (const OtherFlags& flags : table) {
      const bool is_served = std::ranges::any_of(helps, [&](const std::string& help) {
        return names_only_options(flags.hint, [&](std::string_view option) {
          return std::regex_search(help,
                                   std::regex("\n +(-., )?--" + std::string(option) + "[ \n]"));
        });
      });
      EXPECT_TRUE(is_served) << flags.hint;
    }
  };
  expect_served(training_flags(), trainings());
  expect_served(prediction_flags(), predictions());
  expect_served(general_flags(), trainings());
}

TEST(OtherFlags, AreSmallWordsThatStandOnceInAnEntry) {
  for (const auto& table : {training_flags(), prediction_flags(), general_flags()}) {
    for (const OtherFlags& flags : table) {
      std::istringstream names{std::string(flags.names)};
      std::map<std::string, int> seen;
      for (std::string name; names >> name;) {
        EXPECT_EQ(++seen[name], 1) << name;
        EXPECT_TRUE(std::regex_match(name, std::regex("[a-z0-9][a-z0-9-]+"))) << name;
      }
      EXPECT_FALSE(seen.empty()) << flags.hint;
    }
  }
}

}  // namespace
}  // namespace weft::app
