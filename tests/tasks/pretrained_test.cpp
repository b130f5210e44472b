#include "weft/tasks/pretrained.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "tests/train/small_training.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;
using testing::Not;
using train::message_of;
using train::small;
using train::train;

bool same_value(const nn::Parameter& a, const nn::Parameter& b) {
  return a.shape == b.shape && std::memcmp(a.value.bytes(), b.value.bytes(),
                                           4 * static_cast<size_t>(a.shape.size())) == 0;
}

// A trained model to start from, and the options of one that starts from it.
class PretrainedTest : public testing::Test {
 protected:
  PretrainedTest() {
    TranslationOptions first = small(folder_);
    first.loop.model = path_;
    first.loop.after = options::Period::updates(2);
    train(first);
    options_.pretrained.model = path_;
    options_.loop.after = options::Period::updates(1);
    options_.schedule.learn_rate = 0;
  }
  std::string error() const {
    return test::message_of<OptionError>([&] { train(options_); });
  }
  // Other words for the target side, in a vocabulary file of as many.
  void use_another_target_vocabulary() {
    options_.data.vocabs[1] = folder_.path("other.vocab");
    std::string words = "</s>\n<unk>\n<s>\n";
    for (int i = 11; i >= 0; --i) words += "w" + std::to_string(i) + "\n";
    folder_.file("other.vocab", words);
  }
  // Whether the parameter of the trained model is that of the file.
  bool is_taken(const char* name) const {
    model_file::TranslatorSession from = model_file::load<model_file::TranslatorSession>(path_),
                                  to = model_file::load<model_file::TranslatorSession>(
                                      options_.loop.model);
    const nn::Parameter* found[2] = {};
    for (const auto& [key, p] : nn::parameters_of(from.model)) {
      if (key == name) found[0] = p;
    }
    for (const auto& [key, p] : nn::parameters_of(to.model)) {
      if (key == name) found[1] = p;
    }
    return same_value(*found[0], *found[1]);
  }

  Scratch folder_;
  std::string path_ = folder_.path("first.safetensors");
  TranslationOptions options_ = small(folder_);
};

constexpr const char* kQuery = "model.encoder.layers.0.self_attn.q_proj.weight";
constexpr const char* kDecoderQuery = "model.decoder.layers.0.self_attn.q_proj.weight";

TEST_F(PretrainedTest, IsWhereTrainingStarts) {
  const test::CapturedLog told;
  train(options_);
  EXPECT_THAT(told.text(), HasSubstr("46 of 46 parameters from " + path_ + "\n"));
  const model_file::TranslatorSession a = model_file::load<model_file::TranslatorSession>(path_),
                                      b = model_file::load<model_file::TranslatorSession>(
                                          options_.loop.model);
  EXPECT_EQ(std::memcmp(a.parameters.bytes(), b.parameters.bytes(),
                        4 * static_cast<size_t>(a.parameters.size())),
            0);
}

TEST_F(PretrainedTest, CountsAndNamesWhatDoesNotFitAndTheOptionsThatDiffer) {
  options_.model.encoder.transformer.feed_forward.inner = 20;
  options_.model.encoder.enc_depth = 2;
  options_.model.decoder.output_bias = false;
  options_.model.encoder.transformer.dropout = 0.5;
  EXPECT_EQ(
      error(),
      path_ +
          ": 39 of 61 parameters are there in their shape; expected all; 16 missing there: "
          "model.encoder.layers.1.self_attn.q_proj.weight, "
          "model.encoder.layers.1.self_attn.k_proj.weight, "
          "model.encoder.layers.1.self_attn.v_proj.weight, "
          "model.encoder.layers.1.self_attn.q_proj.bias, "
          "model.encoder.layers.1.self_attn.k_proj.bias and 11 more; 1 superfluous: "
          "final_logits_bias; 6 of another shape: model.encoder.layers.0.fc1.weight [32, 16] (now "
          "[20, 16]), model.encoder.layers.0.fc1.bias [1, 32] (now [1, 20]), "
          "model.encoder.layers.0.fc2.weight [16, 32] (now [16, 20]), "
          "model.decoder.layers.0.fc1.weight [32, 16] (now [20, 16]), "
          "model.decoder.layers.0.fc1.bias [1, 32] (now [1, 20]) and 1 more; options that differ: "
          "--enc-depth 1 (now 2), --transformer-dim-ffn 32 (now 20), --output-bias true (now "
          "false); hint: --pretrained-parts names those to take");
}

TEST_F(PretrainedTest, NamesOptionsThatDoNotGoTogether) {
  options_.model = {};
  test::set(options_.model, "--type rnn");
  options_.model.encoder.enc_depth = options_.model.decoder.dec_depth = 1;
  options_.model.encoder.dim_emb = 16;
  EXPECT_THAT(error(), HasSubstr("; options that differ: --type transformer (now rnn), "));
  options_ = small(folder_);
  options_.pretrained.model = path_;
  options_.data.vocabs[1] = options_.data.vocabs[0];
  options_.model.tied_embeddings_all = true;
  EXPECT_THAT(error(), HasSubstr("--tied-embeddings-all false (now true)"));
}

TEST_F(PretrainedTest, IsRefusedBeforeVocabulariesAreMade) {
  options_.data.vocabs = {folder_.path("new.src"), folder_.path("new.trg")};
  const std::string broken = folder_.file("broken", "\xFF\n");  // no vocabulary can be made of it
  options_.data.train_sets = {broken, broken};
  options_.model.encoder.dim_emb = 12;
  EXPECT_THAT(error(), HasSubstr("expected all; "));
}

TEST_F(PretrainedTest, LeavesNoFileBehindWhereItIsRefused) {
  const auto before = folder_.names();
  options_.data.vocabs = {folder_.path("new.src"), folder_.path("new.trg")};
  options_.data.dim_vocabs = {10};
  EXPECT_THAT(error(), HasSubstr("model.encoder.embed_tokens.weight belongs to another source "
                                 "vocabulary, of 15 tokens, now 10; expected the same"));
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(PretrainedTest, HasItsWantedPartsTaken) {
  options_.model.decoder.dec_depth = 2;
  options_.pretrained.parts = {"model.encoder.*", "*embed_tokens*"};
  const test::CapturedLog told;
  train(options_);
  EXPECT_THAT(told.text(), HasSubstr("18 of 72 parameters from " + path_ + "\n"));
  EXPECT_THAT(told.text(), HasSubstr("options that differ from its own: --dec-depth 1 (now 2)"));
  EXPECT_TRUE(is_taken(kQuery));
  EXPECT_TRUE(is_taken("model.encoder.embed_tokens.weight"));
  EXPECT_FALSE(is_taken(kDecoderQuery));
}

TEST_F(PretrainedTest, HasToHaveAllWantedParts) {
  options_.model.decoder.dec_depth = 2;
  options_.pretrained.parts = {"model.decoder.*"};
  EXPECT_THAT(error(), HasSubstr("27 of 53 parameters are there in their shape; expected all; 26 "
                                 "missing there: model.decoder.layers.1."));
  EXPECT_THAT(error(), Not(HasSubstr("superfluous")));
  options_.pretrained.parts = {"model.encoder.*", "nothing.*"};
  EXPECT_THAT(error(), HasSubstr("--pretrained-parts: 'nothing.*' matches no parameter"));
}

TEST_F(PretrainedTest, HasToHaveTheVocabulariesOfWhatIsTaken) {
  use_another_target_vocabulary();
  EXPECT_EQ(error(), path_ +
                         ": model.decoder.embed_tokens.weight belongs to another target "
                         "vocabulary, of 15 tokens, now 15; expected the same; hint: "
                         "--pretrained-vocabs by-id matches tokens by their number, "
                         "--pretrained-parts names the parameters to take");
  options_.pretrained.parts = {"model.encoder.*", "model.decoder.layers.*"};
  train(options_);
  EXPECT_TRUE(is_taken(kDecoderQuery));
  EXPECT_TRUE(is_taken("model.encoder.embed_tokens.weight"));
  EXPECT_FALSE(is_taken("model.decoder.embed_tokens.weight"));
}

TEST_F(PretrainedTest, MatchesTokensByNumberWhereItIsTold) {
  use_another_target_vocabulary();
  options_.pretrained.vocabs = "by-id";
  train(options_);
  EXPECT_TRUE(is_taken("model.decoder.embed_tokens.weight"));
  options_.loop.overwrite = true;
  folder_.file("other.vocab", "</s>\n<unk>\n<s>\nw1\n");
  EXPECT_THAT(error(), HasSubstr("3 of another shape: model.decoder.embed_tokens.weight [15, 16] "
                                 "(now [4, 16]), lm_head.weight"));
}

const nn::Parameter& parameter_of(model_file::TranslatorSession& session, std::string_view name) {
  for (const auto& [key, p] : nn::parameters_of(session.model)) {
    if (key == name) return *p;
  }
  throw Error("no parameter has the name");
}

// The big model has two heads of 8 features.
TEST_F(PretrainedTest, LosesPrunedHeads) {
  options_.model.encoder.transformer.pruning.heads = {"encoder.1.1", "decoder-cross.1.2"};
  const test::CapturedLog told;
  train(options_);
  EXPECT_THAT(told.text(), HasSubstr("46 of 46 parameters from " + path_ + "\n"));
  EXPECT_THAT(told.text(), HasSubstr("options that differ from its own: --prune-heads none (now "
                                     "encoder.1.1 decoder-cross.1.2)"));
  EXPECT_TRUE(is_taken(kDecoderQuery));
  model_file::TranslatorSession from = model_file::load<model_file::TranslatorSession>(path_),
                                to = model_file::load<model_file::TranslatorSession>(
                                    options_.loop.model);
  const auto expect_part = [&](const std::string& name, auto part) {
    const Tensor all = parameter_of(from, name), some = parameter_of(to, name);
    EXPECT_EQ(test::distance(some, part(all)), 0) << name;
  };
  for (const std::string part : {"q_proj.", "k_proj.", "v_proj."}) {
    const std::string encoder = "model.encoder.layers.0.self_attn." + part,
                      cross = "model.decoder.layers.0.encoder_attn." + part;
    expect_part(encoder + "weight", [](const Tensor& x) { return x.row_range(8, 16); });
    expect_part(encoder + "bias", [](const Tensor& x) { return x.col_range(8, 16); });
    expect_part(cross + "weight", [](const Tensor& x) { return x.row_range(0, 8); });
    expect_part(cross + "bias", [](const Tensor& x) { return x.col_range(0, 8); });
  }
  expect_part("model.encoder.layers.0.self_attn.out_proj.weight",
              [](const Tensor& x) { return x.col_range(8, 16); });
  expect_part("model.decoder.layers.0.encoder_attn.out_proj.weight",
              [](const Tensor& x) { return x.col_range(0, 8); });
}

// Heads keep the numbers that they have before any is pruned.
TEST_F(PretrainedTest, MayBePrunedItself) {
  options_.model.encoder.transformer.pruning.heads = {"encoder.1.1"};
  options_.loop.model = folder_.path("pruned.safetensors");
  train(options_);
  options_.pretrained.model = options_.loop.model;
  options_.loop.model = folder_.path("model.safetensors");
  options_.model.encoder.transformer.pruning.heads = {"decoder.1.2", "encoder.1.1"};
  train(options_);
  model_file::TranslatorSession from = model_file::load<model_file::TranslatorSession>(path_),
                                to = model_file::load<model_file::TranslatorSession>(
                                    options_.loop.model);
  const Tensor encoder = parameter_of(from, kQuery), decoder = parameter_of(from, kDecoderQuery);
  EXPECT_EQ(test::distance(parameter_of(to, kQuery), encoder.row_range(8, 16)), 0);
  EXPECT_EQ(test::distance(parameter_of(to, kDecoderQuery), decoder.row_range(0, 8)), 0);
  // As many heads, but others.
  options_.loop.overwrite = true;
  options_.model.encoder.transformer.pruning.heads = {"encoder.1.2"};
  EXPECT_EQ(error(), "--prune-heads: " + options_.pretrained.model +
                         " is itself without encoder.1.1; expected these among the heads to prune");
  options_.pretrained.parts = {"model.decoder.*"};
  train(options_);
}

// With another number of heads none of them is the same.
TEST_F(PretrainedTest, HasToHaveTheSameHeads) {
  options_.model.encoder.transformer.attention.heads = 4;
  options_.model.encoder.transformer.pruning.heads = {"encoder.1.1"};
  EXPECT_THAT(error(), HasSubstr("self_attn.q_proj.weight [16, 16] (now [12, 16])"));
}

TEST_F(PretrainedTest, OptionsNeedTheModel) {
  options_.pretrained.model = "";
  options_.pretrained.parts = {"*"};
  EXPECT_EQ(error(), "--pretrained-parts: needs --pretrained-model");
  options_.pretrained = {};
  options_.pretrained.vocabs = "by-id";
  EXPECT_EQ(error(), "--pretrained-vocabs: needs --pretrained-model");
}

// A resumed run needs the options as they were, not the file.
TEST_F(PretrainedTest, GoesOnWithTheSameOptionsAlone) {
  options_.pretrained.parts = {"*"};
  train(options_);
  std::filesystem::remove(path_);
  options_.loop.after = options::Period::updates(2);
  EXPECT_EQ(train(options_), train::Ending::kFinished);
  options_.pretrained.parts = {};
  EXPECT_THAT(error(), HasSubstr("training began with --pretrained-parts *, now it is none"));
}

TEST_F(PretrainedTest, HasToBeOfFiniteNumbers) {
  model_file::TranslatorSession broken = model_file::load<model_file::TranslatorSession>(path_);
  const Tensor weights = broken.parameters.clone();
  weights.data<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  options_.pretrained.model = folder_.path("broken.safetensors");
  model_file::save(options_.pretrained.model, broken, weights);
  EXPECT_THAT(test::message_of<NumericError>([&] { train(options_); }),
              HasSubstr("broken.safetensors: has weights that are not finite"));
}

TEST_F(PretrainedTest, IsNotReplaced) {
  options_.loop.model = path_;
  EXPECT_THAT(error(), HasSubstr("--model: would overwrite"));
}

}  // namespace
}  // namespace weft::tasks
