// weft train tagging and weft tag: what they learn, write and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/comparing.h"
#include "tests/e2e/translating.h"
#include "tests/tasks/labels/toy_tags.h"

namespace weft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char* kTagTraining =
    "train tagging -t train.tsv --valid-sets valid.tsv -v words.vocab -m tags.safetensors "
    "--word-labels 1 2 --text-labels 3 --enc-depth 1 --dim-emb 32 --type rnn --mini-batch-words "
    "300 --lr-warmup 10 --learn-rate 0.01 --crf spans --pooling first --valid-metrics exact-match "
    "--after ";

class Tag : public testing::Test {
 protected:
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  void train(const std::string& after = "15e") const {
    folder_.file("train.tsv", tagged_text(1, 400));
    folder_.file("valid.tsv", tagged_text(2, 60));
    folder_.file("test.tsv", tagged_text(3, 60));
    const ProcessResult result = run(kTagTraining + after);
    ASSERT_EQ(result.status, 0) << result.errors;
  }

  Scratch folder_;
};

TEST_F(Tag, LearnsLabelsOfWordsAndOfTexts) {
  train();
  const ProcessResult result =
      run("tag -m tags.safetensors --layout tsv", words_of_tagged(tagged_text(3, 60)));
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_GE(lines_alike(result.output, tagged_text(3, 60)), 54);
  EXPECT_THAT(result.errors, HasSubstr("tagged 60 texts"));
  // Several models, and the text as a file with labels has it.
  const ProcessResult both =
      run("tag -m tags.safetensors tags.safetensors --layout tsv --format tsv -i test.tsv");
  EXPECT_EQ(both.output, result.output) << both.errors;
}

TEST_F(Tag, GivesEveryWordALabelInEveryLayout) {
  train();
  const std::string text = "w1 w7\n\n w9 \xFF\tnone \n";
  const ProcessResult labels = run("tag -m tags.safetensors", text);
  EXPECT_THAT(split_lines(labels.output),
              ElementsAre("B-L I-L\tK1 K3\tintent1", "\t\t",
                          MatchesRegex("[^ ]+ [^ ]+ [^ ]+\t[^ ]+ [^ ]+ [^ ]+\tintent[0-3]")));
  EXPECT_THAT(labels.errors, HasSubstr("3 lines: 1 empty, 1 not UTF-8, 1 with unknown tokens"));
  const ProcessResult scores =
      run("tag -m tags.safetensors --layout conll --scores", "w1 w7\n\nw9\n");
  const std::string row =
      "\t[BIO][-A-Z]*\t[01][.][0-9]+\tK[0-3]\t[01][.][0-9]+\tintent[0-3]\t[01].*";
  EXPECT_THAT(split_lines(scores.output),
              ElementsAre(MatchesRegex("w1" + row), MatchesRegex("w7" + row), "", "",
                          MatchesRegex("w9" + row), ""));
  folder_.file("text.conll", "w1 x\nw7 y\n\n-DOCSTART- z\n\nw9 y\n");
  EXPECT_EQ(run("tag -m tags.safetensors --layout tsv --format conll -i text.conll").output,
            run("tag -m tags.safetensors --layout tsv", "w1 w7\nw9\n").output);
}

TEST_F(Tag, MeasuresTheLabelsOfText) {
  train();
  const std::string command =
      "tag -m tags.safetensors --format tsv --word-labels 1 2 --text-labels 3 --evaluate ";
  EXPECT_EQ(run("tag -m tags.safetensors --evaluate test.tsv").output,
            run(command + "test.tsv").output);
  const ProcessResult found = run(command + "test.tsv --confusion");
  ASSERT_EQ(found.status, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("60 texts, all labels of a text right in "));
  EXPECT_THAT(found.output, HasSubstr("\nfield 1: accuracy "));
  EXPECT_THAT(found.output, HasSubstr(", span F1 "));
  EXPECT_THAT(found.output, HasSubstr("\nfield 3: accuracy "));
  EXPECT_THAT(found.output, HasSubstr("precision    recall  f1-score   support"));
  EXPECT_THAT(found.output, HasSubstr("expected \\ predicted\tK"));
  const auto measured = nlohmann::json::parse(
      run(command + "test.tsv --confusion --json --predictions found.jsonl").output);
  EXPECT_EQ(measured["texts"], 60);
  EXPECT_EQ(measured["columns"].size(), 3u);
  EXPECT_TRUE(measured["columns"][1].contains("confusion"));
  expect_compared(folder_, "found.jsonl", 60, "span F1 of column 1",
                  measured["columns"][0]["span_f1"]);
  expect_compared(folder_, "found.jsonl", 60, "accuracy of column 3",
                  measured["columns"][2]["accuracy"]);
  expect_compared(folder_, "found.jsonl", 60, "exact match", measured["exact_match"]);
  folder_.file("new.tsv", "w1\tB-Z\tK1\tintent1\n");
  EXPECT_THAT(
      run(command + "new.tsv").output,
      HasSubstr("field 1: accuracy 0.0000, span F1 0.0000; 1 labels that training never saw "
                "count as wrong"));
}

TEST_F(Tag, WarnsOfLinesThatLookLikeTheTextOfItsTraining) {
  train("1u");
  const auto hint_of = [&](const std::string& model, const std::string& text) {
    const ProcessResult result = run("tag -m " + model, text);
    EXPECT_EQ(result.status, 0) << result.errors;
    const size_t begin = result.errors.find("hint: ");
    return begin == std::string::npos
               ? ""
               : result.errors.substr(begin, result.errors.find('\n', begin) - begin);
  };
  EXPECT_EQ(hint_of("tags.safetensors", tagged_text(3, 60)), "hint: give --format tsv");
  EXPECT_EQ(hint_of("tags.safetensors", words_of_tagged(tagged_text(3, 60))), "");
  const std::string conllu =
      "# text = w1 w2 w3\n1\tw1\tw1\tX\n2-3\tw23\t_\t_\n2\tw2\tw2\tY\n3\tw3\tw3\tX\n"
      "4\tw4\tw4\tY\n\n1\tw2\tw2\tY\n\n";
  folder_.file("text.conllu", conllu);
  const ProcessResult trained =
      run("train tagging --format conllu -t text.conllu -v words.vocab -m columns --enc-depth 1 "
          "--dim-emb 16 --after 1u");
  ASSERT_EQ(trained.status, 0) << trained.errors;
  EXPECT_EQ(hint_of("columns", conllu), "hint: give --format conllu");
  EXPECT_EQ(hint_of("columns", "w1 w2 w3\nw4 X\nX Y\nw1\tX\n"), "");
  EXPECT_EQ(split_lines(run("tag -m columns --format conllu", conllu).output).size(), 2u);
}

TEST_F(Tag, TagsATextThatIsTooLongInWindows) {
  train("1u");
  const ProcessResult result =
      run("tag -m tags.safetensors --max-length 2 --strict", "w1 w2 w3 w4 w5\nw1\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.errors, HasSubstr("2 lines: 1 in several windows"));
  const std::vector<std::string> lines = split_lines(result.output);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], MatchesRegex("[^ ]+ [^ ]+ [^ ]+ [^ ]+ [^ ]+\t.*"));
}

TEST_F(Tag, ReportsTextsThatItDidNotRead) {
  train("1u");
  folder_.file("bad.conll", "w1 x\nw2\n\nw3 x\n");
  const ProcessResult result =
      run("tag -m tags.safetensors --format conll --text-field 1 -i bad.conll --strict");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(split_lines(result.output).size(), 2u);
  EXPECT_THAT(result.errors, HasSubstr("1 that cannot be read (left empty)"));
  EXPECT_THAT(result.errors,
              HasSubstr("the first fault is in text 1: bad.conll:2: expected at least "
                        "2 columns, got 1"));
}

TEST_F(Tag, NamesWhatIsWrong) {
  train("1u");
  folder_.file("short.tsv", "w1 w2\tO\tK1 K1\tintent1\n");
  const struct {
    const char* args;
    int status;
    const char* message;
  } cases[] = {
      {"tag", 2, "--model"},
      {"tag -m none", 1, "none: cannot be opened"},
      {"tag -m train.tsv", 1, "train.tsv: "},
      {"tag -m tags.safetensors --confusion", 2, "--confusion: is not read without"},
      {"tag -m tags.safetensors --scores --format tsv --evaluate test.tsv", 2,
       "--scores: is not read with --evaluate"},
      {"tag -m tags.safetensors --format conll --evaluate test.tsv", 2,
       "--word-labels: the model gives 2 labels to a word and 1 to a text"},
      {"tag -m tags.safetensors --format tsv --word-labels 1 2 --text-labels 3 --evaluate "
       "short.tsv",
       1, "short.tsv:1, column 2: 1 labels for 2 words"},
      {"tag -m tags.safetensors --precision int4", 2, "has no int4; expected int8"},
      {"tag -m tags.safetensors --invalid-tags refuse", 2, "expected one of repair, keep"},
      {"classify -m tags.safetensors", 1, "is a model of type 'tagger'; expected classifier"},
      {"train tagging -m m -v v", 2, "--train-sets"},
      {"train tagging -m m -v v -t train.tsv --dec-depth 2", 2, "--dec-depth"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = run(c.args);
    EXPECT_EQ(result.status, c.status) << c.args;
    EXPECT_THAT(result.errors, HasSubstr(c.message)) << c.args;
  }
}

// CoNLL-U has its words in one column and their parts of speech in another, and the model knows
// which columns it was trained on.
TEST_F(Tag, KnowsTheColumnsOfItsTraining) {
  const std::string noun = "\tthe\tDET\tDT\n2\tcat\tcat\tNOUN\tNN\n\n";
  folder_.file("train.conllu", "# text = the cat\n1\tthe" + noun + "1\tThe" + noun);
  const std::string training =
      "train tagging -t train.conllu --format conllu -v words.vocab -m m --type rnn --dim-emb 16 "
      "--after 2u --overwrite ";
  const ProcessResult plain = run(training);
  ASSERT_EQ(plain.status, 0) << plain.errors;
  EXPECT_THAT(plain.errors, HasSubstr("train.conllu: text in field 1, labels of words in field 3"));
  const std::string vocabulary = read_bytes(folder_.path("words.vocab"));
  EXPECT_THAT(vocabulary, HasSubstr("\ncat\n"));
  EXPECT_THAT(run("tag -m m --format conllu --layout tsv -i train.conllu").output,
              MatchesRegex("the cat\t(DET|NOUN) (DET|NOUN)\nThe cat\t.*"));
  const ProcessResult found = run("tag -m m --evaluate train.conllu");
  ASSERT_EQ(found.status, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("2 texts"));
  EXPECT_THAT(found.output, HasSubstr("\nfield 3: accuracy "));
  // Other columns are as given, in training and then without being given again.
  ASSERT_EQ(run(training + "--text-field 2 --word-labels 4").status, 0);
  EXPECT_THAT(run("tag -m m --evaluate train.conllu").output, HasSubstr("\nfield 4: accuracy "));
  EXPECT_THAT(run("tag -m m --evaluate train.conllu --format conllu --word-labels 3").output,
              HasSubstr("field 3: accuracy 0.0000; 4 labels that training never saw"));
}

// The columns of CoNLL-2000: word, part of speech, chunk.
TEST_F(Tag, TrainsOnColumns) {
  folder_.file("train.txt", "Rome NNP B-NP\nfell VBD B-VP\n\nthe DT B-NP\ncity NN I-NP\n");
  const ProcessResult result =
      run("train tagging -t train.txt --format conll --word-labels 2 1 -v words.vocab -m m "
          "--dim-emb 16 --type rnn --char-encoder cnn --char-min-count 1 --after 2u");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(run("tag -m m", "the city\n").output,
              MatchesRegex("[BI]-[NV]P [BI]-[NV]P\t[A-Z]+ [A-Z]+\n"));
  const ProcessResult found = run("tag -m m --format conll --word-labels 2 1 --evaluate train.txt");
  EXPECT_EQ(found.status, 0) << found.errors;
}

}  // namespace
}  // namespace weft::test
