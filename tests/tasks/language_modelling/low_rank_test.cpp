// Training adapters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "tests/tasks/language_modelling/small_modelling.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"
#include "weft/model_file/any_adapter.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;

LanguageModellingOptions small_adapter(const Scratch& folder, const std::string& flags = "") {
  return small_tuning(folder, "--lora-rank 2 --learn-rate 0.05 " + flags);
}

TEST(LowRankTraining, GoesOnAsIfNeverStopped) {
  expect_resumes<LanguageModelling>(small_adapter, "--precision float32", 2);
  expect_resumes<LanguageModelling>(small_adapter, "--precision bfloat16 --lora-dropout 0.3", 2);
  expect_resumes<LanguageModelling>(small_adapter,
                                    "--gradient-checkpointing true --lora-dropout 0.3", 2);
}

TEST(LowRankTraining, WritesAnAdapterThatLowersTheLoss) {
  for (const std::string precision : {"float32", "bfloat16"}) {
    const Scratch folder;
    const test::CapturedLog told;
    const LanguageModellingOptions o = small_adapter(
        folder, "--after 40u --valid-freq 40u --lora-alpha 3 --precision " + precision);
    const std::string base = test::read_bytes(o.from);
    train_language_model(o);
    EXPECT_EQ(test::read_bytes(o.from), base);
    const model_file::Adapter adapter = model_file::read_adapter(o.loop.model);
    EXPECT_EQ(adapter.updates.size(), 14U);  // of two layers
    EXPECT_EQ(adapter.options.scale(), 1.5);
    auto session = model_file::load_any<model_file::LanguageModelSession>(o.from);
    const auto loss = [&] {
      return text_loss(session.model,
                       read_sequences(o.validation.valid_sets, o.data, session).sequences);
    };
    const TextLoss before = loss();
    model_file::attach_adapter(session, o.loop.model);
    const TextLoss after = loss();
    EXPECT_LT(after.nll, 0.8 * before.nll);
    EXPECT_THAT(told.text(), HasSubstr(fmt::format("validation at update 40: cross-entropy {:.4f}",
                                                   after.nll / static_cast<double>(after.labels))));
  }
}

TEST(LowRankTraining, UpdatesTheMapsThatAreChosen) {
  const auto updated = [](const std::string& targets) {
    const Scratch folder;
    const LanguageModellingOptions o = small_adapter(folder, "--lora-targets " + targets);
    train_language_model(o);
    std::vector<std::string> out;
    for (const auto& update : model_file::read_adapter(o.loop.model).updates) {
      out.push_back(update.weight);
    }
    return out;
  };
  EXPECT_THAT(updated("v_proj"), ElementsAre("model.decoder.layers.0.self_attn.v_proj.weight",
                                             "model.decoder.layers.1.self_attn.v_proj.weight"));
  EXPECT_THAT(
      updated("*.1.gate.weight *.0.fc2.*"),
      ElementsAre("model.decoder.layers.0.fc2.weight", "model.decoder.layers.1.gate.weight"));
}

TEST(LowRankTraining, RefusesOptionsThatContradict) {
  const Scratch folder;
  const auto message = [&](LanguageModellingOptions o) {
    return test::message_of<OptionError>([&] { train_language_model(o); });
  };
  EXPECT_EQ(message(small_tuning(folder, "--lora-alpha 3")),
            "--lora-alpha: is not read without --lora-rank; expected its default, auto");
  EXPECT_EQ(message(small_modelling(folder, "--lora-rank 3")),
            "--lora-rank: expected --from, a model whose weights are kept");
  EXPECT_THAT(message(small_adapter(folder, "--lora-targets lm_head")),
              HasSubstr("--lora-targets: '*.lm_head.weight' matches no parameter of the model; "
                        "hint: a parameter name is model.decoder.layers."));
}

TEST(LowRankTraining, DoesNotGoOnBesideAnotherModel) {
  const Scratch folder;
  LanguageModellingOptions o = small_adapter(folder, "--after 2u");
  train_language_model(o);
  auto other = model_file::small_chat_model();
  model_file::initialise(other, 8);
  model_file::save(o.from, other, other.parameters);
  o.loop.after = options::Period::updates(4);
  EXPECT_THAT(test::message_of<OptionError>([&] { train_language_model(o); }),
              HasSubstr("training began with other data in the files that it reads"));
}

}  // namespace
}  // namespace weft::tasks
