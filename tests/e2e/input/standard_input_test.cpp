// "-" is standard input for texts that are read, and standard output for texts that are written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/support/paths.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kSmall =
    " --enc-depth 1 --dec-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 32"
    " --after 6u --quiet";

// Runs a shell command line, where $weft is the program.
ProcessResult shell(const Scratch& folder, const std::string& line) {
  return run_process({"/bin/sh", "-c", "weft=" + program_path() + "; " + line},
                     {.folder = folder.folder()});
}

// The files written by a training.
std::string trained(const Scratch& folder, const std::string& before, const std::string& sets,
                    const std::string& behind = "") {
  const ProcessResult result =
      shell(folder, before + "$weft train -m m.safetensors -v s.vocab t.vocab --overwrite " + sets +
                        kSmall + behind);
  EXPECT_EQ(result.status, 0) << result.errors;
  const std::string model = read_bytes(folder.path("m.safetensors"));
  std::filesystem::remove(folder.path("m.safetensors"));
  return model;
}

TEST(StandardInput, CanBeTrainingText) {
  const Scratch folder;
  write_toy_text(folder);
  const auto sets = [](const std::string& source) { return "-t " + source + " train.trg"; };
  const std::string expected = trained(folder, "", sets("train.src"));
  for (const char* vocabulary : {"s.vocab", "t.vocab"}) {
    std::filesystem::remove(
        folder.path(vocabulary));  // built from the text, which is read once more
  }
  EXPECT_TRUE(trained(folder, "cat train.src | ", sets("-")) == expected);
  EXPECT_TRUE(trained(folder, "", sets("-"), " < train.src") == expected);
  EXPECT_TRUE(trained(folder, "gzip < train.src | ", sets("-")) == expected);
  EXPECT_TRUE(trained(folder, "paste train.src train.trg | ", "--tsv -t -") == expected);
  // From the current file offset.
  EXPECT_TRUE(trained(folder, "(echo; cat train.src) > more; { read x; ", sets("-"),
                      "; } < more") == expected);
}

TEST(StandardInput, CanBeADocument) {
  const Scratch folder;
  write_toy_text(folder);
  const auto model = [&](const std::string& before, const std::string& text) {
    const ProcessResult result =
        shell(folder, before +
                          "$weft train language-model -m m.safetensors -v s.vocab --overwrite "
                          "--dec-depth 1 --dim-emb 16 --transformer-heads 2 "
                          "--transformer-dim-ffn 32 --after 6u --quiet -t " +
                          text);
    EXPECT_EQ(result.status, 0) << result.errors;
    return read_bytes(folder.path("m.safetensors"));
  };
  const std::string expected = model("", "train.src");
  std::filesystem::remove(folder.path("s.vocab"));
  EXPECT_TRUE(model("gzip < train.src | ", "-") == expected);
  const auto scores = [&](const std::string& before, const std::string& text) {
    return shell(folder, before +
                             "$weft score -m m.safetensors --documents --summary perplexity "
                             "--stride 64 --quiet -t " +
                             text)
        .output;
  };
  EXPECT_NE(scores("", "valid.src"), "");
  EXPECT_EQ(scores("cat valid.src | ", "-"), scores("", "valid.src"));
}

TEST(StandardInput, CanBeValidationTextAndSidecarFiles) {
  const Scratch folder;
  write_toy_text(folder);
  std::string weights;
  for (int i = 0; i < 300; ++i) weights += i % 2 == 0 ? "1\n" : "0.5\n";
  folder.file("weights", weights);
  const std::string sets = "-t train.src train.trg --valid-freq 3u --valid-metrics bleu ";
  const std::string all = sets + "--valid-sets valid.src valid.trg --data-weighting weights";
  const std::string expected = trained(folder, "", all);
  EXPECT_TRUE(trained(folder, "cat valid.trg | ",
                      sets + "--valid-sets valid.src - --data-weighting weights") == expected);
  EXPECT_TRUE(trained(folder, "cat weights | ",
                      sets + "--valid-sets valid.src valid.trg --data-weighting -") == expected);
}

class StandardText : public Translating {
 protected:
  StandardText() : Translating(12) { scratch_.file("text", text_); }
  std::string output(const std::string& line) const {
    const ProcessResult result = shell(scratch_, line);
    EXPECT_EQ(result.status, 0) << line << "\n" << result.errors;
    return result.output;
  }
};

TEST_F(StandardText, IsReadAndWrittenByEveryCommand) {
  const std::string expected = output("$weft translate -m model -i text");
  scratch_.file("out", expected);
  EXPECT_EQ(output("$weft translate -m model -i - < text"), expected);
  EXPECT_EQ(output("cat text | $weft translate -m model --input - -o -"), expected);
  EXPECT_EQ(output("$weft translate -m model -o stdout < text"), expected);
  EXPECT_EQ(output("gzip < text | $weft translate -m model"), expected);
  EXPECT_EQ(output("echo w3 | $weft translate -m model -i text --banned-words -"),
            output("echo w3 > ban; $weft translate -m model -i text --banned-words ban"));
  EXPECT_EQ(output("cat out | $weft score -m model -t text -"),
            output("$weft score -m model -t text out"));
  EXPECT_EQ(output("paste text out | $weft score -m model --tsv -t -"),
            output("$weft score -m model -t text out"));
  EXPECT_EQ(output("cat text | $weft evaluate -r - -i out"),
            output("$weft evaluate -r text -i out"));
  EXPECT_EQ(output("cat out | $weft evaluate -r text -i -"),
            output("$weft evaluate -r text < out"));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("-")));
}

TEST_F(StandardText, CannotBeReadTwice) {
  const auto error = [&](const std::string& line) { return shell(scratch_, line).errors; };
  EXPECT_THAT(error("$weft translate -m model --banned-words - < text"),
              HasSubstr("--banned-words: is standard input, which --input reads too"));
  EXPECT_THAT(error("$weft evaluate -r - < text"),
              HasSubstr("--references: is standard input, which --input reads too"));
  EXPECT_THAT(error("$weft score -m model -t - - < text"),
              HasSubstr("--train-sets: standard input is given twice"));
  EXPECT_THAT(error("$weft train -m m -t - text -v a b --valid-sets text - < text"),
              HasSubstr("--valid-sets: is standard input, which --train-sets reads too"));
}

TEST_F(StandardText, IsReportedInErrors) {
  const auto error = [&](const std::string& line) { return shell(scratch_, line).errors; };
  EXPECT_THAT(error("printf 'a\\n\\377\\n' | $weft evaluate -r text -i -"),
              HasSubstr("stdin: line 2 is not UTF-8"));
  EXPECT_THAT(error("head -3 text | $weft score -m model -t text -"),
              HasSubstr("text + stdin: files of different length"));
  EXPECT_THAT(error("$weft evaluate -r text -i - <&-"), HasSubstr("stdin: cannot be"));
}

}  // namespace
}  // namespace weft::test
