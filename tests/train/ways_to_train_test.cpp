// Complete trainings with objectives and kinds of layers.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <ostream>

#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "tests/train/small_training.h"

namespace weft::train {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// A teacher and its vocabularies in the folder.
std::string make_teacher(const Scratch& folder) {
  TranslationOptions o = smaller(folder);
  o.loop.model = folder.path("teacher.safetensors");
  o.loop.seed = 7;
  o.model.encoder.dim_emb = 12;
  train(o);
  return o.loop.model;
}

std::string weights_file(const Scratch& folder) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::to_string(i % 3) + "\n";
  return folder.file("weights", text);
}

std::string links_file(const Scratch& folder, const char* links = "0-0") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += (i % 4 == 3 ? "" : std::string(links)) + "\n";
  return folder.file("links", text);
}

using Change = std::function<void(TranslationOptions&, const Scratch&)>;

// A training configuration, and its model if not the default.
struct Case {
  const char* name;
  Change change;
  Change model = [](auto&, auto&) {};
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

// The tensors of a state, one after the other; its options name the folder.
std::string state_in(const Scratch& folder) {
  const formats::SafetensorsFile file(folder.path(test::kToyState));
  std::string out;
  for (const std::string& name : file.names()) {
    const Tensor x = file.tensor(name);
    out += name;
    out.append(reinterpret_cast<const char*>(x.bytes()), 4 * static_cast<size_t>(x.size()));
  }
  return out;
}

class WaysToTrain : public testing::TestWithParam<Case> {
 protected:
  TranslationOptions options(const Scratch& folder) {
    TranslationOptions o = plain(folder);
    GetParam().change(o, folder);
    return o;
  }
  TranslationOptions plain(const Scratch& folder) {
    TranslationOptions o = smaller(folder);
    GetParam().model(o, folder);
    return o;
  }
};

TEST_P(WaysToTrain, ResumeBitExactly) {
  const Scratch whole, parts;
  train(options(whole));
  TranslationOptions o = options(parts);
  o.loop.after = options::Period::updates(3);
  train(o);
  o.loop.after = options::Period::updates(8);
  train(o);
  EXPECT_TRUE(test::read_bytes(whole.path("model.safetensors")) ==
              test::read_bytes(parts.path("model.safetensors")));
  EXPECT_TRUE(state_in(whole) == state_in(parts));
}

TEST_P(WaysToTrain, ChangeWhatIsLearned) {
  const Scratch usual, folder;
  train(plain(usual));
  train(options(folder));
  EXPECT_FALSE(state_in(usual) == state_in(folder));
}

void sample_by_the_model(TranslationOptions& o, const Scratch&) {
  test::set(o.objective, "--scheduled-sampling inverse-sigmoid --scheduled-sampling-rate 2");
}

Change of_type(const char* type) {
  return [=](auto& o, auto&) {
    o.model = {};
    test::set(o.model, fmt::format("--type {}", type));
    o.model.encoder.enc_depth = o.model.decoder.dec_depth = 2;
    o.model.encoder.dim_emb = 8;
  };
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WaysToTrain,
    testing::Values(
        Case{"Clusters",
             [](auto& o, auto&) {
               o.optimizer.exponential_smoothing = 0.1;
               o.loop.optimizer_delay = 2;
             },
             [](auto& o, auto&) {
               test::set(o.model, "--attention clustered --attention-clusters 2");
             }},
        Case{"Sgd",
             [](auto& o, auto&) {
               test::set(o, "--optimizer sgd --nesterov --weight-decay 0.01");
               o.optimizer.rate_factors = {"model.encoder.*=0.5"};
             }},
        Case{"AverageOfAShare", [](auto& o, auto&) { o.optimizer.average_share = 0.3; }},
        Case{"BatchNorm",
             [](auto& o, auto&) {
               o.optimizer.kind.select("adamw");
               o.loop.optimizer_delay = 2;
             },
             [](auto& o, auto&) { test::set(o.model, "--norm-kind batch"); }},
        Case{"RmsNormInAnotherPlace",
             [](auto& o, auto&) { test::set(o.model, "--transformer-norm pre"); },
             [](auto& o, auto&) { test::set(o.model, "--norm-kind rms"); }},
        Case{"ScheduledSamplingOfRnn", sample_by_the_model, of_type("rnn")},
        Case{"ScheduledSamplingOfRnnAttention", sample_by_the_model, of_type("rnn-attention")},
        Case{"ScheduledSamplingOfCnn", sample_by_the_model, of_type("cnn")},
        Case{"DropPath", [](auto& o, auto&) { o.model.encoder.transformer.drop_path = 0.3; }},
        Case{"Euclidean", [](auto& o, auto&) { test::set(o.objective, "--loss euclidean"); }},
        Case{"RDrop", [](auto& o, auto&) { test::set(o.objective, "--r-drop 5"); }},
        Case{"Teacher",
             [](auto& o, const Scratch& folder) { teacher_of(o) = make_teacher(folder); }},
        Case{"Unlikelihood", [](auto& o, auto&) { test::set(o.objective, "--unlikelihood 1"); }},
        Case{"ScheduledSampling",
             [](auto& o, auto&) {
               test::set(o.objective,
                         "--scheduled-sampling exponential --scheduled-sampling-rate 0.7");
             }},
        Case{"DataWeighting",
             [](auto& o, const Scratch& folder) {
               o.objective.data_weighting = {weights_file(folder)};
             }},
        Case{"GuidedByTheDiagonal",
             [](auto& o, auto&) {
               test::set(o.objective.guidance, "--guided-attention diagonal");
               o.objective.guidance.heads = "1.2,2.1";
             }},
        Case{"GuidedByLinks",
             [](auto& o, const Scratch& folder) {
               o.objective.guidance.guided_alignment = {links_file(folder)};
               test::set(o.objective, "--r-drop 1");
               o.loop.optimizer_delay = 2;
             }},
        Case{"Freeze", [](auto& o, auto&) { o.loop.freeze = {"model.encoder.*"}; }}),
    [](const auto& name) { return std::string(name.param.name); });

TEST(Objectives, ThatAreEquivalentLearnTheSame) {
  const Scratch plain;
  train(smaller(plain));
  const std::function<void(TranslationOptions&, const Scratch&)> changes[] = {
      [](auto& o, auto&) { test::set(o.objective, "--loss kl"); },
      [](auto& o, const Scratch& folder) {
        std::string ones;
        for (int i = 0; i < 60; ++i) ones += "1\n";
        o.objective.data_weighting = {folder.file("weights", ones)};
      },
      [](auto& o, const Scratch& folder) {
        teacher_of(o) = make_teacher(folder);
        test::set(o.objective, "--teacher-weight 0");
      },
      [](auto& o, auto&) {
        o.objective.sampling.decay = tasks::LinearDecay{{.rate = 0.5, .floor = 1}};
      }};
  for (const auto& change : changes) {
    const Scratch folder;
    TranslationOptions o = smaller(folder);
    change(o, folder);
    train(o);
    EXPECT_TRUE(state_in(folder) == state_in(plain));
  }
}

TEST(GuidedAttention, LearnsItsLinks) {
  const auto learned = [](const Change& change) {
    const Scratch folder;
    TranslationOptions o = smaller(folder);
    change(o, folder);
    train(o);
    return state_in(folder);
  };
  const auto by_links = [](const char* links) -> Change {
    return [=](auto& o, const Scratch& folder) {
      o.objective.guidance.guided_alignment = {links_file(folder, links)};
    };
  };
  const std::string states[] = {learned([](auto&, auto&) {}), learned([](auto& o, auto&) {
                                  test::set(o.objective.guidance, "--guided-attention diagonal");
                                }),
                                learned(by_links("0-0 1-1")), learned(by_links("0-1 1-0"))};
  for (size_t i = 0; i < std::size(states); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_FALSE(states[i] == states[k]) << i << " and " << k;
  }
  EXPECT_TRUE(learned(by_links("0-1 1-0")) == states[3]);  // nothing else made the difference
}

TEST(GuidedAttention, CountsSentencesByTheirWeightsAndInTheLoss) {
  const auto first_update = [](double guidance, const char* weights) {
    const Scratch folder;
    TranslationOptions o = smaller(folder);
    o.loop.after = options::Period::updates(1);
    test::set(o.objective.guidance, "--guided-attention diagonal");
    o.objective.guidance.weight = guidance;
    std::string lines;
    for (int i = 0; i < 60; ++i) lines += weights;
    o.objective.data_weighting = {folder.file("weights", lines)};
    return reports_of(o).front();
  };
  EXPECT_GT(first_update(100, "1\n").loss, first_update(0, "1\n").loss + 1);
  const double whole = first_update(100, "1\n").loss;
  EXPECT_NEAR(first_update(100, "0.5\n").loss, 0.5 * whole, 1e-5 * whole);
}

TEST(Kinds, OfNormsAndAttentionAloneChangeWhatIsLearned) {
  const std::function<void(models::Seq2SeqOptions&)> changes[] = {
      [](auto&) {},
      [](auto& o) { test::set(o, "--norm-kind rms"); },
      [](auto& o) { test::set(o, "--norm-kind batch"); },
      [](auto& o) { test::set(o, "--transformer-norm pre"); },
      [](auto& o) { test::set(o, "--attention clustered --attention-clusters 2"); },
      [](auto& o) {
        test::set(o, "--attention clustered --attention-clusters 2 --attention-clustering hash");
      }};
  // All kinds have embeddings with equal initial values, so that differences are due to the kind.
  std::vector<Tensor> start, learned;
  for (const auto& change : changes) {
    const Scratch folder;
    TranslationOptions o = smaller(folder);
    change(o.model);
    train(o);
    const model_file::TranslatorSession after =
        model_file::load<model_file::TranslatorSession>(o.loop.model);
    const model_file::TranslatorSession before =
        model_file::new_translator(o.model, after.tokenisers, o.loop.seed);
    start.push_back(before.model.source.table.value.clone());
    learned.push_back(after.model.source.table.value.clone());
  }
  for (size_t i = 0; i < start.size(); ++i) {
    EXPECT_TRUE(test::same_bits(start[i], start[0])) << i;
    for (size_t k = 0; k < i; ++k) {
      EXPECT_FALSE(test::same_bits(learned[i], learned[k])) << i << " and " << k;
    }
  }
}

TEST(FilesOfOtherModels, AreCheckedBeforeAVocabularyIsBuilt) {
  const Scratch folder;
  for (const bool is_teacher : {true, false}) {
    TranslationOptions o = smaller(folder);
    (is_teacher ? teacher_of(o) : o.pretrained.model) = folder.path("missing");
    EXPECT_THAT([&] { train(o); },
                ThrowsMessage<FileError>(HasSubstr("missing: cannot be opened")));
    EXPECT_FALSE(std::filesystem::exists(o.data.vocabs.front()));
  }
}

TEST(Teacher, MustHaveTheSameVocabularies) {
  const Scratch folder, elsewhere;
  TranslationOptions o = smaller(folder), teacher = smaller(elsewhere);
  elsewhere.file("train.trg", test::toy_text(9, 60).source);
  train(teacher);
  teacher_of(o) = teacher.loop.model;
  EXPECT_THAT([&] { train(o); },
              ThrowsMessage<OptionError>(HasSubstr("its target vocabulary differs")));
}

TEST(TrainOptions, ReportContradictingObjectives) {
  const Scratch folder;
  const auto expect = [&](const std::function<void(TranslationOptions&)>& change,
                          const char* message) {
    TranslationOptions o = smaller(folder);
    change(o);
    EXPECT_THAT([&] { o.validate(); }, ThrowsMessage<OptionError>(HasSubstr(message)));
  };
  expect([](auto& o) { test::set(o.objective, "--teacher-weight 0.3"); },
         "--teacher-weight: is not read without --teacher");
  expect([](auto& o) { test::set(o.objective, "--teacher-temperature 2"); },
         "--teacher-temperature: is not read without --teacher");
  expect([](auto& o) { teacher_of(o) = "t", test::set(o.objective, "--loss euclidean"); },
         "--teacher: belongs to --loss cross-entropy or kl; got it with euclidean");
  expect(
      [](auto& o) {
        test::set(o.objective, "--r-drop 1"), test::set(o.objective, "--loss squared-euclidean");
      },
      "--r-drop: belongs to --loss cross-entropy or kl; got it with squared-euclidean");
  expect([](auto& o) { test::set(o.objective, "--r-drop 1"), teacher_of(o) = "t"; },
         "--r-drop: contradicts --teacher");
  expect(
      [](auto& o) {
        test::set(o.objective, "--r-drop 1");
        o.objective.sampling.decay = tasks::LinearDecay{{.rate = 0.1}};
      },
      "--r-drop: contradicts --scheduled-sampling");
  expect(
      [](auto& o) {
        test::set(o.objective, "--r-drop 1"), o.model = {}, test::set(o.model, "--type rnn"),
                                              o.model.encoder.recurrent.dropout = 0;
      },
      "--r-drop: has no effect without dropout; expected --dropout-rnn");
  expect(
      [](auto& o) {
        test::set(o.objective, "--r-drop 1"), o.model.encoder.transformer.dropout = 0;
      },
      "has no effect without dropout");
  expect([](auto& o) { test::set(o.objective, "--data-weighting-type word"); },
         "--data-weighting-type: needs --data-weighting");
  expect(
      [](auto& o) {
        o.objective.data_weighting = {"w"}, test::set(o.objective, "--data-weighting-type word");
        o.data.max_length_crop = true;
      },
      "token weights contradict --max-length-crop");
  expect([](auto& o) { test::set(o.model, "--norm-momentum 0.3"); },
         "--norm-momentum: belongs to --norm-kind batch; got it with layer");
  expect([](auto& o) { test::set(o.model, "--norm-kind batch"), o.loop.average_checkpoints = 2; },
         "--average-checkpoints: does not average the running statistics");
  expect(
      [](auto& o) {
        test::set(o.model, "--norm-kind batch"), o.optimizer.exponential_smoothing = 0.1;
      },
      "--exponential-smoothing: does not average the running statistics");
  expect([](auto& o) { o.model.encoder.transformer.residual_scale = "nan"; },
         "--residual-scale: expected a number");
  expect(
      [](auto& o) {
        o.model.encoder.transformer.tied_layers = {1, 2, 2};
      },
      "--tied-layers: expected a number for");
  expect(
      [](auto& o) {
        test::set(o.objective.guidance, "--guided-attention diagonal"),
            o.objective.guidance.heads = "9.9";
      },
      "--guided-attention-heads: '9.9' is no head of the decoder");
}

}  // namespace
}  // namespace weft::train
