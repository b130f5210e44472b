// weft convert of encoders and weft embed: what they write and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/translating.h"
#include "tests/support/small_models.h"
#include "weft/data/features/feature_file.h"

namespace weft::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Embed : public testing::Test {
 protected:
  Embed() { write_small_models(folder_); }
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  std::string output_of(const std::string& args, const std::string& input = "") const {
    const ProcessResult result = run(args, input);
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  }

  Scratch folder_;
};

TEST_F(Embed, GivesALineOneVectorWithAnyThreadsInAnyBatch) {
  const std::string text = "w1 w2 w3\nw4\n\nw5 w6 w7 w8 w9 w10\nw2 w2\n";
  for (const std::string precision : {"float32", "bfloat16", "int8"}) {
    const std::string args = "embed -m embedder --precision " + precision;
    const std::string once = output_of(args + " --threads 1", text);
    EXPECT_EQ(split_lines(once).size(), 5);
    EXPECT_EQ(output_of(args + " --threads 2 --mini-batch 2", text), once);
    std::string alone;
    for (const std::string& line : split_lines(text)) alone += output_of(args, line + "\n");
    EXPECT_EQ(alone, once);
  }
}

TEST_F(Embed, WritesAnArrayOrText) {
  const std::string text = "w1 w2\n\xff\nw3\n";
  const ProcessResult result = run("embed -m embedder --dimensions 4 -o a.npy", text);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.errors, HasSubstr("3 lines: 1 not UTF-8 (left empty)"));
  const std::vector<std::string> lines =
      split_lines(output_of("embed -m embedder --dimensions 4", text));
  const data::FeatureSequence array = data::read_features(folder_.path("a.npy"));
  ASSERT_EQ(array.rows(), 3);
  ASSERT_EQ(array.width, 4);
  EXPECT_TRUE(std::isnan(array.values[4]));
  EXPECT_EQ(lines.at(1), "");
  EXPECT_THAT(lines[0], StartsWith(fmt::format("{} {} ", array.values[0], array.values[1])));
  EXPECT_EQ(run("embed -m embedder --strict -o a.npy", text).status, 1);
  EXPECT_THAT(output_of("embed -m embedder --vector-type int8", "w1\n"), HasSubstr("127"));
  output_of("embed -m embedder --vector-type binary -o b.npy", text);
  const data::FeatureSequence bits = data::read_features(folder_.path("b.npy"));
  EXPECT_EQ(bits.width, 2);
  EXPECT_EQ(bits.values[2], 0);
}

TEST_F(Embed, FindsTheNearestLines) {
  const std::string text = "w1 w2\nw3\nw4 w5 w6\n";
  folder_.file("lines", text);
  for (const std::string type : {"float32", "int8"}) {
    output_of("embed -m embedder -i lines -o a.npy --vector-type " + type);
    const std::string numbers = output_of("embed -m embedder --nearest a.npy --top 2", "w3\n");
    EXPECT_THAT(numbers, StartsWith(type == "int8" ? "2\t0.99" : "2\t1.000000\t"));
  }
  const std::string found =
      output_of("embed -m embedder --nearest a.npy --nearest-text lines --top 1", text);
  for (const std::string& line : split_lines(text)) EXPECT_THAT(found, HasSubstr(line + "\t"));
  EXPECT_THAT(run("embed -m embedder --nearest a.npy --nearest-text a.npy", "w1\n").errors,
              HasSubstr("a.npy: "));
  EXPECT_THAT(run("embed -m embedder --top 3", "w1\n").errors, HasSubstr("--top"));
  EXPECT_THAT(run("embed -m embedder --nearest a.npy -o b.npy", "w1\n").errors,
              HasSubstr("--output: expected a file of text with --nearest"));
  EXPECT_THAT(run("embed -m embedder --dimensions 3 --nearest a.npy", "w1\n").errors,
              HasSubstr("a.npy: vectors of 16 numbers; expected 3"));
}

TEST_F(Embed, MinesHardNegatives) {
  const std::string pairs = "w1 w2\tw1\nw3\tw3 w4\nw3\tw5\nw6 w7\tw7 w6\n";
  folder_.file("pairs", pairs);
  folder_.file("more", "w2 w1\nw0\n\nw3\n");
  const ProcessResult mined =
      run("mine -m embedder -i pairs --corpus more --negatives 2 --margin auto -o mined");
  EXPECT_EQ(mined.status, 0) << mined.errors;
  EXPECT_THAT(mined.errors, HasSubstr("4 pairs with 2 negatives; 0 had fewer and were left out"));
  const std::vector<std::string> lines = split_lines(read_bytes(folder_.path("mined")));
  ASSERT_EQ(lines.size(), 4);
  for (const std::string& line : lines) EXPECT_EQ(std::ranges::count(line, '\t'), 3) << line;
  // What belongs to the same first text, or is that text, is no negative.
  EXPECT_THAT(lines[1], Not(HasSubstr("\tw5")));
  EXPECT_THAT(lines[1], StartsWith("w3\tw3 w4\t"));
  EXPECT_THAT(lines[1], Not(ContainsRegex("\tw3(\t|$)")));
  output_of("train embedding --from embedder -t mined -m trained --after 1u");
  EXPECT_THAT(run("mine -m embedder --negatives 9", pairs).errors,
              AllOf(HasSubstr("0 pairs with 9 negatives; 4 had fewer and were left out"),
                    HasSubstr("hint: more texts by --corpus")));
  EXPECT_THAT(run("mine -m embedder", "w1\tw2\tw3\n").errors,
              HasSubstr("stdin:1: 3 texts; expected two, separated by a tab"));
  EXPECT_THAT(run("mine -m embedder", "").errors,
              HasSubstr("--input: no lines; expected pairs of texts"));
  EXPECT_THAT(run("mine -m embedder --corpus pairs", pairs).errors,
              HasSubstr("pairs:1: a tab, which separates texts; expected one text"));
  EXPECT_THAT(run("mine -m tagger", pairs).errors, HasSubstr("embedder"));
}

TEST_F(Embed, ConvertsThereAndBack) {
  const std::string golden = source_path("tests/golden/encoders/bert");
  output_of("convert --from-hf " + golden + " -o m --check " + golden + "/vectors.safetensors");
  output_of("convert -m m --to-hf folder");
  EXPECT_TRUE(std::filesystem::exists(folder_.path("folder/modules.json")));
  output_of("convert --from-hf folder -o again");
  EXPECT_EQ(output_of("embed -m m --prompt-name query", "a cat\n"),
            output_of("embed -m again --prompt-name query", "a cat\n"));
  EXPECT_TRUE(read_bytes(folder_.path("m")) == read_bytes(folder_.path("again")));
  EXPECT_EQ(output_of("embed -m folder", "a cat\n"), output_of("embed -m m", "a cat\n"));
  EXPECT_THAT(run("embed -m " + golden + "_tagger", "a cat\n").errors,
              HasSubstr("expected embedder; hint: it is for weft tag"));
  output_of("quantize -m m -o small");
  EXPECT_THAT(output_of("inspect -m small"), HasSubstr("kind          embedder"));
  output_of("inspect -m m --html page --data data", "a cat\na dog\n");
  EXPECT_THAT(read_bytes(folder_.path("data")), HasSubstr("\"label\":\"a dog\""));
}

}  // namespace
}  // namespace weft::test
