// weft fill, and training from masked language models: what they write and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/e2e/translating.h"
#include "tests/support/small_models.h"
#include "tests/tasks/labels/toy_labels.h"
#include "tests/tasks/labels/toy_tags.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

bool has_form(const std::string& line, const std::string& form) {
  return std::regex_match(line, std::regex(form));
}

class Fill : public testing::Test {
 protected:
  Fill() { write_small_models(folder_); }
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

TEST_F(Fill, WritesLinesCandidatesOrObjects) {
  const std::string text = "w1 [MASK] w3\nw1\n[MASK] [MASK]\n";
  const std::vector<std::string> lines = split_lines(output_of("fill -m masked", text));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(has_form(lines[0], "w1 w[0-9]+ w3")) << lines[0];
  EXPECT_EQ(lines[1], "");
  EXPECT_TRUE(has_form(lines[2], "w[0-9]+ w[0-9]+")) << lines[2];
  const std::vector<std::string> top = split_lines(output_of("fill -m masked --top 2", text));
  const std::string one = "w[0-9]+\t0\\.[0-9]+\tw[0-9]+\t0\\.[0-9]+";
  EXPECT_TRUE(has_form(top[0], one)) << top[0];
  EXPECT_EQ(top[1], "");
  EXPECT_TRUE(has_form(top[2], one + "\t\t" + one)) << top[2];
  const std::string first = top[0].substr(0, top[0].find('\t'));
  EXPECT_EQ(lines[0], "w1 " + first + " w3");
  const std::vector<std::string> json = split_lines(output_of("fill -m masked --json", text));
  EXPECT_THAT(json[0], StartsWith("{\"text\":\"w1 " + first + " w3\",\"masks\":[[{\"token\":\"" +
                                  first + "\",\"probability\":0."));
  EXPECT_EQ(json[1], "{\"error\":\"no [MASK]; expected at least one\"}");
  EXPECT_THAT(run("fill -m masked --strict", text).errors,
              HasSubstr("3 lines: 1 without a mask (left empty)"));
  EXPECT_EQ(run("fill -m masked --strict", text).status, 1);
  EXPECT_EQ(output_of("fill -m masked --mask-token _", "w1 _ w3\n"), lines[0] + "\n");
  EXPECT_THAT(run("fill -m masked --mask-token", " ").errors, HasSubstr("--mask-token"));
}

TEST_F(Fill, ConvertsThereAndBack) {
  for (const std::string name : {"bert", "modernbert"}) {
    const std::string golden = source_path("tests/golden/encoders/" + name + "_masked_lm");
    output_of("convert --from-hf " + golden + " -o m --overwrite --check " + golden +
              "/logits.safetensors");
    output_of("convert -m m --to-hf " + name);
    output_of("convert --from-hf " + name + " -o again --overwrite");
    EXPECT_TRUE(read_bytes(folder_.path("m")) == read_bytes(folder_.path("again")));
    const std::string mask = name == "bert" ? "[MASK]" : "<mask>";
    const std::string text = "the " + mask + " sat\n";
    const std::string once = output_of("fill -m m --top 3", text);
    EXPECT_EQ(output_of("fill -m " + name + " --top 3", text), once);
    EXPECT_THAT(output_of("embed -m " + name, "the cat\n"), HasSubstr(" "));
    output_of("quantize -m m -o small");
    EXPECT_EQ(output_of("fill -m small --top 3", text),
              output_of("fill -m m --precision int8 --top 3", text));
    EXPECT_THAT(output_of("inspect -m small"), HasSubstr("kind          masked-lm"));
  }
}

// The encoder goes from pretraining to a task.
TEST_F(Fill, PretrainsEncodersForOtherTasks) {
  folder_.file("text", toy_text(1, 100).source);
  folder_.file("labels.tsv", one_label_text(1, 60));
  folder_.file("tags.tsv", tagged_text(1, 60));
  folder_.file("pairs.tsv", "w1\tw2\nw3 w4\tw5\nw6\tw7\n");
  const std::string small = " --after 3u --lr-warmup 1 --mini-batch-words 100 --threads 1 ";
  output_of(
      "train masked-lm -t text -v v -m pretrained --enc-depth 1 --dim-emb 16 "
      "--transformer-heads 2 --transformer-dim-ffn 16 --begin-symbol" +
      small);
  output_of("train classification -t labels.tsv --from pretrained -m a" + small);
  output_of("train tagging -t tags.tsv --word-labels 1 2 --text-labels 3 --from pretrained -m b" +
            small);
  output_of(
      "train embedding -t pairs.tsv --valid-sets pairs.tsv --from pretrained -m c --mini-batch 3 "
      "--after 3u "
      "--lr-warmup 1 --threads 1");
  output_of("train masked-lm -t text --from b -m d" + small);
  EXPECT_THAT(output_of("fill -m d", "w1 [MASK]\n"), StartsWith("w1 "));
  const ProcessResult refused = run("train masked-lm -t text --from vectors -m e" + small);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("is a classifier of --input features"));
}

}  // namespace
}  // namespace weft::test
