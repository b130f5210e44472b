#include "weft/tasks/embedding/embedding.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>

#include "tests/model_file/small_embedder.h"
#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"
#include "weft/core/random.h"
#include "weft/ops/rows/unit_rows.h"
#include "weft/tasks/embedding/validation.h"
#include "weft/train/trainer.h"

namespace weft::tasks {
namespace {

using test::Scratch;

// Lines of two texts with the same numbers in other words, and a third text of other numbers.
std::string groups(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    std::string texts[3];
    for (int k = 0; k < 4; ++k) {
      const std::string number = std::to_string(random.below(12));
      texts[0] += (k ? " w" : "w") + number;
      texts[1] = "v" + number + (k ? " " : "") + texts[1];
      texts[2] += (k ? " v" : "v") + std::to_string(random.below(12));
    }
    out += texts[0] + "\t" + texts[1] + "\t" + texts[2] + "\n";
  }
  return out;
}

// Lines of two texts and the share of words that they have in common.
std::string scored(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    std::string a, b;
    int same = 0;
    for (int k = 0; k < 4; ++k) {
      const auto x = random.below(12), y = random.below(2) == 0 ? x : random.below(12);
      same += x == y ? 1 : 0;
      a += (k ? " w" : "w") + std::to_string(x);
      b += (k ? " w" : "w") + std::to_string(y);
    }
    out += a + "\t" + b + "\t" + std::to_string(same / 4.0) + "\n";
  }
  return out;
}

SentenceEmbeddingOptions small_embedding(const Scratch& folder, const std::string& flags = "") {
  SentenceEmbeddingOptions o;
  test::set(o,
            "--enc-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 24 "
            "--max-length 16 --lr-warmup 4 --mini-batch 16 --after 12u --learn-rate 0.01 " +
                flags);
  const bool has_scores = o.data.has_scores();
  const auto text = has_scores ? scored : groups;
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.tsv", text(1, 400))};
  o.validation.valid_sets = {folder.file("valid.tsv", text(2, 40))};
  o.data.vocabs = {folder.path("words.vocab")};
  return o;
}

// Starts from the small embedder, of the words w0 to w7.
SentenceEmbeddingOptions small_tuning_of_embedder(const Scratch& folder,
                                                  const std::string& flags = "") {
  const auto session = model_file::small_embedder("--dense-sizes 8");
  model_file::save(folder.path("base.safetensors"), session, session.parameters);
  SentenceEmbeddingOptions o;
  test::set(o, "--mini-batch 16 --after 12u --lr-warmup 4 --learn-rate 0.001 " + flags);
  o.from = folder.path("base.safetensors");
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.tsv", groups(1, 100))};
  o.validation.valid_sets = {folder.file("valid.tsv", groups(2, 40))};
  return o;
}

train::Ending train_embedder(const SentenceEmbeddingOptions& options) {
  const std::atomic<bool> stop{false};
  return train::Trainer(std::make_unique<SentenceEmbedding>(options))
      .run(stop, [](const train::UpdateReport&) {});
}

TEST(SentenceEmbedding, GoesOnAsIfNeverStopped) {
  expect_resumes<SentenceEmbedding>(small_embedding, "");
  expect_resumes<SentenceEmbedding>(small_embedding,
                                    "--symmetric --matryoshka 4 8 --transformer-dropout 0.2");
  expect_resumes<SentenceEmbedding>(small_embedding, "--loss triplet --optimizer-delay 2");
  expect_resumes<SentenceEmbedding>(small_embedding,
                                    "--format scores --gradient-checkpointing true");
  expect_resumes<SentenceEmbedding>(small_embedding,
                                    "--gradient-cache 7 --gradient-checkpointing true");
  expect_resumes<SentenceEmbedding>(small_embedding,
                                    "--format scores --loss cosine --precision bfloat16");
  expect_resumes<SentenceEmbedding>(small_tuning_of_embedder, "--transformer-dropout 0.1");
}

// A student of an embedder of another vocabulary, with the options `flags`.
SentenceEmbeddingOptions taught_embedding(const Scratch& folder, const std::string& flags) {
  const Scratch elsewhere;
  SentenceEmbeddingOptions teacher = small_embedding(elsewhere, "--dim-emb 16 --after 12u");
  teacher.loop.model = folder.path("teacher.safetensors");
  if (!std::filesystem::exists(teacher.loop.model)) train_embedder(teacher);
  SentenceEmbeddingOptions o = small_embedding(folder, flags);
  o.teacher.teacher = teacher.loop.model;
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    lines += "w" + std::to_string(i % 12) + " v" + std::to_string(i % 7) + "\n";
  }
  o.teacher.unlabelled = {folder.file("lines.txt", lines)};
  return o;
}

SentenceEmbeddingOptions taught_by_lines_alone(const Scratch& folder, const std::string& flags) {
  SentenceEmbeddingOptions o = taught_embedding(folder, flags);
  o.data.train_sets.clear();
  return o;
}

TEST(SentenceEmbedding, OfATeacherGoesOnAsIfNeverStopped) {
  expect_resumes<SentenceEmbedding>(taught_embedding, "--gradient-cache 5");
  expect_resumes<SentenceEmbedding>(taught_embedding,
                                    "--format scores --teacher-weight 0.9 --precision bfloat16");
  expect_resumes<SentenceEmbedding>(taught_embedding,
                                    "--loss triplet --matryoshka 8 --optimizer-delay 2");
  expect_resumes<SentenceEmbedding>(taught_by_lines_alone, "");
}

double loss_of(const models::Embedder& model, const data::Batch& batch,
               const EmbeddingObjective& objective) {
  const Tensor x = embedding_vectors(model, batch, 0, {});
  return embedding_loss(x, batch, objective, 1, nullptr).total;
}

// Of a line of two texts and a single text.
TEST(SentenceEmbedding, IsAsNearToATeacherAsItsLossSays) {
  const Scratch folder;
  const SentenceEmbeddingOptions o = taught_embedding(folder, "--teacher-weight 0.3");
  const EmbedderTeacher teacher(o.teacher, 1);  // a text at a time
  const auto session = model_file::small_embedder();
  const auto batch_of = [](const data::Tokeniser& tokeniser) {
    data::Batch out{.fields = {data::Tokens(), data::Tokens()}, .examples = {0, 1}};
    const auto add = [&](size_t field, const std::string& text) {
      out.tokens(field).add(tokeniser.encode(text), tokeniser.end_id());
    };
    add(0, "w1 w2"), add(1, "w3"), add(0, "w5"), add(1, "");
    return out;
  };
  const data::Batch ours = batch_of(*session.tokeniser);
  const data::Batch theirs = batch_of(*teacher.session().tokeniser);
  data::Batch both = ours;
  both.fields.insert(both.fields.end(), theirs.fields.begin(), theirs.fields.end());
  const EmbeddingObjective objective = EmbeddingObjective().of_data(false);
  const auto unit = [](const models::Embedder& model, const data::Batch& batch) {
    return ops::unit_rows(embedding_vectors(model, batch, 0, {}), nullptr);
  };
  const Tensor u = unit(session.model, ours), v = unit(teacher.session().model, theirs);
  std::vector<double> distances;
  for (int64_t row = 0; row < 4; ++row) {
    double sum = 0;
    for (int64_t e = 0; e < u.cols(); ++e) {
      const double d =
          u.row_range(row, row + 1).data<float>()[e] - v.row_range(row, row + 1).data<float>()[e];
      sum += d * d;
    }
    distances.push_back(sum);
  }
  const double truth = loss_of(session.model, data::slice(ours, 0, 1), objective);
  const double expected = 0.7 * truth + 0.3 * (distances[0] + distances[1]) / 2 + distances[2];
  const TaughtExamples taught(both, 2, 1);
  const ops::Loss found = teacher.loss(embedding_vectors(session.model, taught.student, 0, {}),
                                       taught, objective, 0.5, nullptr);
  EXPECT_NEAR(found.total, expected, 1e-5);
  EXPECT_NEAR(found.value.item(), expected / 2, 1e-5);
}

TEST(SentenceEmbedding, TrainsWithoutValidation) {
  const Scratch folder;
  SentenceEmbeddingOptions o = small_embedding(folder, "--after 2u");
  o.validation.valid_sets.clear();
  train_embedder(o);
  EXPECT_TRUE(std::filesystem::exists(o.loop.model));
  o = taught_by_lines_alone(folder, "--after 2u --overwrite");
  o.validation.valid_sets.clear();
  train_embedder(o);
}

TEST(SentenceEmbedding, TakesLayersOfAnEmbedder) {
  const Scratch folder;
  const SentenceEmbeddingOptions o =
      small_tuning_of_embedder(folder, "--take-layers 1 --learn-rate 1e-30 --after 1u");
  train_embedder(o);
  auto base = model_file::load<model_file::EmbedderSession>(o.from);
  auto student = model_file::load<model_file::EmbedderSession>(o.loop.model);
  EXPECT_EQ(student.model.options.encoder.enc_depth, 1);
  const auto theirs = nn::parameters_of(base.model);
  for (const auto& [name, p] : nn::parameters_of(student.model)) {
    std::string before = name;
    const size_t found = name.find(".layers.0.");
    if (found != name.npos) before[found + 8] = '1';
    const auto other = std::ranges::find(theirs, before, &nn::NamedParameter::name);
    EXPECT_LT(test::distance(other->parameter->value, p->value), 1e-20) << name;
  }
}

TEST(SentenceEmbedding, RefusesWhatATeacherCannotTeach) {
  const Scratch folder;
  const auto message = [&](const std::string& flags, const auto& change) {
    SentenceEmbeddingOptions o = taught_embedding(folder, flags);
    change(o);
    return test::message_of<Error>([&] { train_embedder(o); });
  };
  const auto none = [](SentenceEmbeddingOptions&) {};
  EXPECT_EQ(
      message("--dim-emb 8", none),
      "--teacher: " + folder.path("teacher.safetensors") +
          " makes vectors of 16 numbers and the student of 8; expected as many; hint: "
          "--dense-sizes 16 in a new student, or one that --take-layers takes of the teacher");
  EXPECT_EQ(message("", [](SentenceEmbeddingOptions& o) { o.teacher.teacher.clear(); }),
            "--unlabelled: needs --teacher, a model whose output is learned on text without "
            "labels");
  const auto no_lines = [](SentenceEmbeddingOptions& o) {
    o.teacher.unlabelled.clear();
    o.data.train_sets.clear();
  };
  EXPECT_EQ(message("", no_lines), "--train-sets: missing; expected lines of texts");
  const auto alone = [](SentenceEmbeddingOptions& o) { o.data.train_sets.clear(); };
  EXPECT_EQ(message("--matryoshka 8", alone),
            "--matryoshka: is not read without --train-sets; expected its default, none");
  EXPECT_EQ(message("--teacher-weight 0.9", alone),
            "--teacher-weight: is not read without --train-sets; expected its default, 0.5");
  EXPECT_EQ(message("--take-layers 0", none),
            "--take-layers: needs --from, a model of more layers");
}

TEST(SentenceEmbedding, LearnsWhichTextsBelongTogether) {
  for (const std::string flags :
       {"--loss in-batch", "--loss in-batch --symmetric --matryoshka 8", "--loss triplet"}) {
    SCOPED_TRACE(flags);
    const Scratch folder;
    const test::CapturedLog told;
    train_embedder(small_embedding(
        folder, flags + " --after 150u --valid-freq 150u --valid-metrics accuracy mrr ndcg loss"));
    EXPECT_GE(told.last_value("accuracy"), 0.7);
    EXPECT_GE(told.last_value("mrr"), 0.8);
    EXPECT_GE(told.last_value("ndcg"), 0.8);
  }
}

TEST(SentenceEmbedding, LearnsHowNearTextsAre) {
  for (const std::string flags : {"--loss cosent", "--loss cosine"}) {
    SCOPED_TRACE(flags);
    const Scratch folder;
    const test::CapturedLog told;
    train_embedder(small_embedding(folder, flags +
                                               " --format scores --after 150u --valid-freq 150u "
                                               "--valid-metrics spearman pearson"));
    EXPECT_GE(told.last_value("spearman"), 0.7);
    EXPECT_GE(told.last_value("pearson"), 0.7);
  }
}

TEST(SentenceEmbedding, StartsWithTheWeightsOfAModel) {
  const Scratch folder;
  const SentenceEmbeddingOptions o = small_tuning_of_embedder(folder, "--learn-rate 1e-30");
  train_embedder(o);
  const auto base = model_file::load<model_file::EmbedderSession>(o.from);
  const auto tuned = model_file::load<model_file::EmbedderSession>(o.loop.model);
  EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
  EXPECT_EQ(tuned.tokeniser->serialise(), base.tokeniser->serialise());
}

// The gradient of the loss of three pairs with dropout.
Tensor gradient_of(models::Embedder& model, const Tensor& parameters, const data::Batch& batch,
                   int64_t cached) {
  autograd::Gradients gradients(parameters);
  autograd::Tape tape;
  const nn::Context context{.tape = &tape, .training = true, .key = {7, 9}};
  const EmbeddingObjective objective = EmbeddingObjective().of_data(false);
  const Tensor x = embedding_vectors(model, batch, cached, context);
  tape.backward(embedding_loss(x, batch, objective, 1, &tape).value, gradients);
  return gradients.flat();
}

TEST(SentenceEmbedding, CachesGradientsOfTheSameLoss) {
  auto session = model_file::small_embedder("--dense-sizes 8 --transformer-dropout 0.3");
  data::Batch batch;
  for (const std::vector<std::string>& column :
       {std::vector<std::string>{"w1", "w2 w3", "w3"}, {"w4 w5 w6", "w5", "w7"}}) {
    data::Tokens texts;
    for (const std::string& text : column) {
      texts.add(session.tokeniser->encode(text), session.tokeniser->end_id());
    }
    texts.segments.first = 5;
    batch.fields.emplace_back(std::move(texts));
  }
  batch.examples = {5, 6, 7};
  const Tensor whole = gradient_of(session.model, session.parameters, batch, 0);
  EXPECT_GT(test::distance(whole, Tensor::zeros(whole.shape())), 0.1);
  for (const int64_t cached : {1, 2, 4, 5, 6, 100}) {
    const Tensor parts = gradient_of(session.model, session.parameters, batch, cached);
    EXPECT_LT(test::distance(whole, parts), 1e-5) << cached;
  }
}

// In validation, where two lines have the same second text, and no other is as near to the first.
TEST(SentenceEmbedding, FindsTextsThatAreThereTwice) {
  const Scratch folder;
  const auto session = model_file::small_embedder();
  const auto scores_of = [&](const std::string& text) {
    const data::TextGroups groups({.groups = {folder.file("pairs.tsv", text)}},
                                  {.max_length = 8, .with_begin = true}, *session.tokeniser);
    return retrieval_of(session, groups);
  };
  EXPECT_EQ(scores_of("w1\tw1\nw1\tw1\nw2\tw2\n").value("accuracy"), 1);
  EXPECT_EQ(scores_of("w1\tw2\nw2\tw1\n").value("accuracy"), 0);
}

// In-batch loss where two lines have the same second text.
TEST(SentenceEmbedding, DoesNotCountEqualTextsAsOthers) {
  const auto session = model_file::small_embedder();
  data::Batch batch;
  for (const std::vector<std::string>& column :
       {std::vector<std::string>{"w1", "w2", "w3"}, {"w4", "w5", "w4"}}) {
    data::Tokens texts;
    for (const std::string& text : column) {
      texts.add(session.tokeniser->encode(text), session.tokeniser->end_id());
    }
    batch.fields.emplace_back(std::move(texts));
  }
  batch.examples = {0, 1, 2};
  const EmbeddingObjective objective = EmbeddingObjective().of_data(false);
  const double loss = loss_of(session.model, batch, objective);
  const auto vectors = [&](size_t field) {
    return session.model(batch.tokens(field), {});  // [3, E] of length one
  };
  const Tensor a = vectors(0), b = vectors(1);
  double expected = 0;
  for (int64_t i = 0; i < 3; ++i) {
    double sum = 0, own = 0;
    for (int64_t j = 0; j < 3; ++j) {
      double score = 0;
      for (int64_t e = 0; e < a.cols(); ++e) {
        score +=
            20.0 * a.row_range(i, i + 1).data<float>()[e] * b.row_range(j, j + 1).data<float>()[e];
      }
      const bool is_equal = i != j && i != 1 && j != 1;  // both w4
      if (!is_equal) sum += std::exp(score);
      if (i == j) own = score;
    }
    expected += std::log(sum) - own;
  }
  EXPECT_NEAR(loss, expected, 1e-4);
}

TEST(SentenceEmbedding, RefusesWhatContradicts) {
  const Scratch folder;
  const auto message = [&](const std::string& flags) {
    return test::message_of<OptionError>([&] { train_embedder(small_embedding(folder, flags)); });
  };
  EXPECT_EQ(message("--loss cosent"),
            "--loss: cosent is of --format scores; expected in-batch or triplet");
  EXPECT_EQ(message("--loss in-batch --format scores"),
            "--loss: in-batch is of --format texts; expected cosent or cosine");
  EXPECT_EQ(message("--valid-metrics spearman"),
            "--valid-metrics: spearman is of --format scores; expected accuracy, mrr, ndcg or "
            "loss");
  EXPECT_EQ(message("--matryoshka 17"), "--matryoshka: 17; expected at most 16, as vectors have");
  SentenceEmbeddingOptions o = small_embedding(folder, "--loss triplet");
  o.data.train_sets = {folder.file("pairs.tsv", "a\tb\n")};
  EXPECT_EQ(test::message_of<OptionError>([&] { train_embedder(o); }),
            "--loss: triplet needs lines of three texts or more; got two");
  EXPECT_EQ(test::message_of<OptionError>(
                [&] { train_embedder(small_tuning_of_embedder(folder, "--dim-emb 32")); }),
            "--dim-emb: is not read with --from; expected its default, 256");
  o = small_embedding(folder);
  o.data.vocabs.clear();
  EXPECT_EQ(test::message_of<OptionError>([&] { o.validate(); }),
            "--vocabs: expected one vocabulary, or --from, got 0");
}

TEST(SentenceEmbedding, RefusesRanksWhereExamplesAreCompared) {
  const Scratch folder;
  EXPECT_EQ(test::message_of<OptionError>(
                [&] { SentenceEmbedding(small_embedding(folder)).check_ranks(); }),
            "--loss: in-batch compares the examples of a mini-batch with each other; expected one "
            "process, or triplet or cosine");
  SentenceEmbedding(small_embedding(folder, "--loss triplet")).check_ranks();
}

}  // namespace
}  // namespace weft::tasks
