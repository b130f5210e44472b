#include "weft/predict/embedding/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tests/model_file/encoder_folder.h"
#include "tests/model_file/small_embedder.h"
#include "tests/predict/predicted.h"
#include "weft/data/text/text_file.h"

namespace weft::predict {
namespace {

using model_file::EmbedderSession;
using testing::HasSubstr;

std::vector<TextVector> vectors_of(const EmbedderSession& session,
                                   const std::vector<std::string>& lines, Report& report,
                                   const VectorOptions& options = {},
                                   const TextBatchOptions& batches = {}) {
  return predict(Embedder(session, options, batches), test::lines_of(lines), report);
}
std::vector<float> vector_of(const EmbedderSession& session, const std::string& line,
                             const VectorOptions& options = {}) {
  Report report;
  return vectors_of(session, {line}, report, options).front().values;
}

double largest_difference(const std::vector<TextVector>& found, const std::string& path) {
  const Tensor expected = formats::SafetensorsFile(path).tensor("vectors");
  double out = 0;
  for (int64_t b = 0; b < expected.rows(); ++b) {
    const std::vector<float>& values = found.at(static_cast<size_t>(b)).values;
    for (int64_t i = 0; i < expected.cols(); ++i) {
      const float wanted = expected.data<float>()[b * expected.cols() + i];
      out = std::max<double>(out, std::abs(values.at(static_cast<size_t>(i)) - wanted));
    }
  }
  return out;
}

// Tokens included.
TEST(Embedder, GivesTheVectorsOfSentenceTransformers) {
  const auto lines = data::read_lines(test::source_path("tests/golden/encoders/lines.txt"));
  for (const char* name : {"bert", "bert_dense"}) {
    const model_file::EncoderFolder folder(name);
    const EmbedderSession session = folder.read();
    Report report;
    const auto found = vectors_of(session, lines, report);
    EXPECT_LT(largest_difference(found, folder.path("vectors.safetensors")), 1e-5) << name;
    EXPECT_EQ(report.text(), "7 lines: 1 cropped, 1 without words");
  }
}

TEST(Embedder, GivesTheVectorsOfMiniLm) {
  const char* given = std::getenv("WEFT_MODELS");
  const std::string folder = given == nullptr ? "" : std::string(given) + "/minilm";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no models in $WEFT_MODELS";
  std::string long_text = "word";
  for (int i = 1; i < 300; ++i) long_text += " word";
  const auto session = model_file::HuggingFaceModel(folder).load<EmbedderSession>();
  Report report;
  const auto found = vectors_of(
      session, {"A cat sat on the mat.", "Zażółć gęślą jaźń: 中文!", long_text, ""}, report);
  EXPECT_LT(largest_difference(
                found, test::source_path("tests/golden/encoders/minilm_vectors.safetensors")),
            1e-5);
  EXPECT_EQ(report.count(Note::kCropped), 1);
}

// The same bits alone, in any order and in batches of any size, in any precision.
TEST(Embedder, GivesALineOneVector) {
  const test::Scratch scratch;
  const EmbedderSession written = model_file::small_embedder("--dense-sizes 6");
  model_file::save(scratch.path("m"), written, written.parameters);
  const std::vector<std::string> lines = {"w1 w2 w3", "", "w7", "w5 w4 w3 w2 w1", "w1", "w2 w2"};
  using model_file::Precision;
  for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16, Precision::kInt8}) {
    const auto session = model_file::load_packed<EmbedderSession>(scratch.path("m"), precision);
    std::vector<std::string> reversed(lines.rbegin(), lines.rend());
    Report report;
    const auto all = vectors_of(session, lines, report);
    for (const int64_t mini_batch : {1, 2, 64}) {
      TextBatchOptions batches;
      batches.mini_batch = mini_batch;
      const auto others = vectors_of(session, reversed, report, {}, batches);
      for (size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(all[i].values, others[lines.size() - 1 - i].values) << lines[i];
      }
    }
  }
}

TEST(Embedder, PutsPromptsBeforeLines) {
  EmbedderSession session = model_file::small_embedder();
  session.prompts = {{"query", "none"}, {"w1 ", ""}, ""};
  const auto with = [](const std::string& name, const std::string& text) {
    return VectorOptions{.prompt_name = name, .prompt = text};
  };
  const std::vector<float> plain = vector_of(session, "w2"), both = vector_of(session, "w1 w2");
  EXPECT_EQ(vector_of(session, "w2", with("query", "")), both);
  EXPECT_EQ(vector_of(session, "w2", with("", "w1 ")), both);
  EXPECT_EQ(vector_of(session, "w2", with("none", "")), plain);
  session.prompts.chosen = "query";
  EXPECT_EQ(vector_of(session, "w2"), both);
  EXPECT_EQ(vector_of(session, "w2", with("none", "")), plain);
  const auto error = [&](const VectorOptions& options) {
    return test::message_of<OptionError>([&] { vector_of(session, "w2", options); });
  };
  EXPECT_THAT(error(with("other", "")), HasSubstr("no prompt 'other'; expected query, none"));
  EXPECT_THAT(error(with("query", "w1")), HasSubstr("--prompt: contradicts --prompt-name"));
}

TEST(Embedder, CutsVectors) {
  const auto length = [](const std::vector<float>& vector) {
    double sum = 0;
    for (const float x : vector) sum += double{x} * x;
    return std::sqrt(sum);
  };
  const EmbedderSession one = model_file::small_embedder();
  const EmbedderSession free = model_file::small_embedder("--normalise false");
  const std::vector<float> cut = vector_of(one, "w1 w2", {.dimensions = 3});
  ASSERT_EQ(cut.size(), 3);
  EXPECT_NEAR(length(cut), 1, 1e-6);
  const std::vector<float> whole = vector_of(one, "w1 w2");
  EXPECT_NEAR(cut[1] / cut[0], whole[1] / whole[0], 1e-4);
  EXPECT_GT(std::abs(length(vector_of(free, "w1", {.dimensions = 3})) - 1), 1e-3);
  EXPECT_NEAR(length(vector_of(free, "w1", {.dimensions = 3, .normalise = "true"})), 1, 1e-6);
  EXPECT_THAT(test::message_of<OptionError>([&] { vector_of(one, "w1", {.dimensions = 17}); }),
              HasSubstr("--dimensions: 17; expected at most 16"));
  EXPECT_THAT(test::message_of<OptionError>([&] { vector_of(one, "w1", {.normalise = "false"}); }),
              HasSubstr("--normalise: the vectors of the model have length one"));
}

TEST(Embedder, ReportsWhatItCannotRead) {
  EmbedderSession session = model_file::small_embedder();
  session.max_length = 2;
  Report report;
  const auto found = vectors_of(session, {"w1 w2 w3", "\xff", "w9", "  "}, report);
  EXPECT_EQ(found[0].values, vector_of(session, "w1 w2"));
  EXPECT_TRUE(found[1].fault);
  EXPECT_TRUE(found[1].values.empty());
  EXPECT_THAT(report.text(), HasSubstr("1 not UTF-8 (left empty), 1 cropped, 1 with unknown "
                                       "tokens, 1 without words"));
  std::ranges::fill(session.parameters.span<float>(), std::nanf(""));
  EXPECT_EQ(vectors_of(session, {"w1"}, report).front().fault->kind, FaultKind::kNotFinite);
}

}  // namespace
}  // namespace weft::predict
