#include "weft/data/labels/labelled_text.h"

#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using NamesOfLabels = std::vector<std::vector<std::string>>;
using Words = std::vector<std::string>;
using Faults = std::vector<std::string>;

// Everything that a text holds.
struct Seen {
  std::vector<std::string> texts;
  std::vector<Words> words;
  std::vector<NamesOfLabels> labels;
  std::vector<std::string> where;  // of the last word
  Faults faults;
};

Seen read(const std::vector<std::string>& files, const LabelledTextOptions& options) {
  const auto text = open_labelled_text(files, options);
  Seen out;
  while (text->next()) {
    if (text->fault()) {
      out.faults.push_back(text->fault()->where + ": " + text->fault()->what);
      continue;
    }
    const LabelledExample& example = text->example();
    out.texts.emplace_back(example.text);
    out.words.emplace_back(example.words.begin(), example.words.end());
    NamesOfLabels& labels = out.labels.emplace_back();
    for (const auto& field : example.labels) labels.emplace_back(field.begin(), field.end());
    out.where.push_back(text->where(std::ssize(example.words) - 1));
  }
  EXPECT_FALSE(text->next()) << "the end is the end";
  return out;
}

class LabelledTextTest : public testing::Test {
 protected:
  // What stands before the message of a fault in this file.
  std::string name(const std::string& file) const { return folder.path(file); }

  TempFolder folder;
};

const LabelField kLine{.field = 1, .is_of_line = true};
const LabelField kFirst{.field = 0, .is_of_line = true};

TEST_F(LabelledTextTest, ConllIsAWordALine) {
  const std::string file = folder.write("a.txt.gz",
                                        "-DOCSTART- -X- O O\n\n"
                                        "# # B-NP\n1.5  CD   I-NP\r\n\n \n\n"
                                        "a word\tNN\tO\n");
  const Seen seen = read({file}, {.layout = LabelledLayout::kConll, .labels = {{2}, {1}}});
  EXPECT_EQ(seen.words, (std::vector<Words>{{"#", "1.5"}, {"a word"}}));
  EXPECT_EQ(seen.texts, (Words{"# 1.5", "a word"}));
  EXPECT_EQ(seen.labels,
            (std::vector<NamesOfLabels>{{{"B-NP", "I-NP"}, {"#", "CD"}}, {{"O"}, {"NN"}}}));
  EXPECT_EQ(seen.where, (Words{file + ":4", file + ":8"}));
  EXPECT_EQ(seen.faults, Faults{});
}

TEST_F(LabelledTextTest, ConlluSkipsWhatIsNoWord) {
  const std::string file = folder.write("a.conllu",
                                        "# text = vámonos al mar\n"
                                        "1-2\tvámonos\t_\t_\n1\tvamos\tir\tVERB\n"
                                        "2\tnos\tnosotros\tPRON\n3.1\tx\tx\tX\n"
                                        "3\t1 000\t_\tNUM\n\n\n# only a comment\n\n"
                                        "1\t#\t#\tSYM");
  const Seen seen =
      read({file}, {.layout = LabelledLayout::kConllu, .text_field = 1, .labels = {{3}}});
  EXPECT_EQ(seen.words, (std::vector<Words>{{"vamos", "nos", "1 000"}, {"#"}}));
  EXPECT_EQ(seen.labels, (std::vector<NamesOfLabels>{{{"VERB", "PRON", "NUM"}}, {{"SYM"}}}));
}

TEST_F(LabelledTextTest, ConllFaultsAreNamedAndTheNextSentenceIsRead) {
  const std::string file = folder.write(
      "a", "a A\nb\nc C\n\nd D\n\ne \xFF\nf F\n\ng\t\n\n" + std::string(40, 'x') + " X\n\nh H\n");
  LabelledTextOptions options{.layout = LabelledLayout::kConll, .labels = {{1}}};
  options.max_line_bytes = 20;
  const Seen seen = read({file}, options);
  EXPECT_EQ(seen.words, (std::vector<Words>{{"d"}, {"h"}}));
  EXPECT_EQ(seen.faults,
            (Faults{file + ":2: expected at least 2 columns, got 1", file + ":7: is not UTF-8",
                    file + ":10: the label in column 2 is empty", file + ":12: is over 20 bytes"}));
}

TEST_F(LabelledTextTest, ConllWithoutBlankLinesIsNoSentence) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "word O\n";
  const std::string file = folder.write("a", text + "\ne E\n");
  LabelledTextOptions options{.layout = LabelledLayout::kConll, .labels = {{1}}};
  options.max_line_bytes = 20;
  const Seen seen = read({file}, options);
  EXPECT_EQ(seen.words, std::vector<Words>{{"e"}});
  EXPECT_EQ(seen.faults, Faults{file + ":4: a sentence of over 20 bytes; expected a blank line "
                                       "after each"});
}

TEST_F(LabelledTextTest, TsvHasALabelForEachWord) {
  const std::string file =
      folder.write("a.tsv", "show flights\tO  B-x\tfind\nboston\tB-city\t a \n");
  const Seen seen = read({file}, {.labels = {{1}, {.field = 2, .is_of_line = true}}});
  EXPECT_EQ(seen.words, (std::vector<Words>{{"show", "flights"}, {"boston"}}));
  EXPECT_EQ(seen.labels,
            (std::vector<NamesOfLabels>{{{"O", "B-x"}, {"find"}}, {{"B-city"}, {"a"}}}));
  EXPECT_EQ(seen.where, (Words{file + ":1", file + ":2"}));
}

TEST_F(LabelledTextTest, TsvFaultsAreNamed) {
  const std::string file = folder.write(
      "a.tsv", "a b\tA\na b\n\n \tA\nfine\tX\n\xFF\tA\n" + std::string(40, 'x') + "\tX");
  LabelledTextOptions options{.labels = {{1}}};
  options.max_line_bytes = 20;
  const Seen seen = read({file}, options);
  EXPECT_EQ(seen.texts, Words{"fine"});
  EXPECT_EQ(seen.faults, (Faults{file + ":1: 1 labels for 2 words; expected one for each",
                                 file + ":2: too few columns; expected 2 with tabs between them",
                                 file + ":3: too few columns; expected 2 with tabs between them",
                                 file + ":4: has no words; expected at least one",
                                 file + ":6: is not UTF-8", file + ":7: is over 20 bytes"}));
}

// Text of a word a line, or with the label as its first word, that is read as tsv.
TEST_F(LabelledTextTest, AFaultOfTsvSaysWhichLayoutTheFileHas) {
  const auto fault = [&](const std::string& bytes, const LabelField& label) {
    return read({folder.write("a.tsv", bytes)}, {.labels = {label}}).faults.at(0);
  };
  const std::string few = name("a.tsv") + ":1: too few columns; expected 2 with tabs between them";
  const std::string word = "; hint: lines of ", is = ", a word a line, are --format ";
  const std::string blank = " fields with blank lines between them";
  const LabelField of_word{1}, of_line{.field = 1, .is_of_line = true};
  EXPECT_EQ(fault("Rome NNP B-NP\nfell VBD B-VP\n\nIt PRP B-NP\n", of_word),
            few + word + "3" + blank + is + "conll");
  EXPECT_EQ(fault("# text = a\n1\ta\ta\tDET\t_\t_\t_\t_\t_\t_\n\n"
                  "1\tb\tb\tX\t_\t_\t_\t_\t_\t_\n",
                  of_word),
            few + word + "10" + blank + is + "conllu");
  const Seen tabs = read({folder.write("b.tsv", "a\tX\nb\tY\n\nc\tX\n")}, {.labels = {of_word}});
  EXPECT_EQ(tabs.faults.at(0), name("b.tsv") +
                                   ":3: too few columns; expected 2 with tabs between them" + word +
                                   "2" + blank + is + "conll");
  EXPECT_EQ(fault("NUM how far is it\nLOC where\n", of_line),
            few +
                "; hint: no line has a tab; if its first word is the label, give --format "
                "first-word");
  EXPECT_EQ(fault("x.png\ny.png\n", of_line), few);
}

TEST_F(LabelledTextTest, FilesAreReadSideBySide) {
  const std::vector<std::string> files{folder.write("in.gz", "to boston\nhi\n"),
                                       folder.write("out", "O B-city\nO O\n"),
                                       folder.write("label", "flight#fare\nhello\n")};
  const LabelledTextOptions options{
      .layout = LabelledLayout::kFiles,
      .labels = {{1}, {.field = 2, .is_of_line = true, .separators = "#"}}};
  const Seen seen = read(files, options);
  EXPECT_EQ(seen.labels, (std::vector<NamesOfLabels>{{{"O", "B-city"}, {"flight", "fare"}}}));
  EXPECT_EQ(seen.where, Words{name("in.gz") + " + " + name("out") + " + " + name("label") + ":1"});
  EXPECT_EQ(seen.faults, Faults{name("out") + ":2: 2 labels for 1 words; expected one for each"});
  folder.write("label", "flight\n");
  EXPECT_THAT(message_of<FormatError>([&] { read(files, options); }),
              testing::HasSubstr("expected as many lines in each, got 2 and 2 and 1"));
}

TEST_F(LabelledTextTest, LinesHaveOneLabelOrSeveral) {
  const std::string file = folder.write("a.tsv", "corn grain,corn \ttext of it\n\tof nothing\n");
  const Seen several = read(
      {file}, {.text_field = 1, .labels = {{.field = 0, .is_of_line = true, .separators = " ,"}}});
  EXPECT_EQ(several.labels, (std::vector<NamesOfLabels>{{{"corn", "grain"}}, {{}}}));
  EXPECT_EQ(several.texts, (Words{"text of it", "of nothing"}));
  const Seen one = read({file}, {.text_field = 1, .labels = {kFirst}});
  EXPECT_EQ(one.labels, std::vector<NamesOfLabels>{{{"corn grain,corn"}}});
  EXPECT_EQ(one.faults, Faults{file + ":2: no label; expected one"});
  const std::string turned = folder.write("b.tsv", "some text\ttwo words\n");
  EXPECT_EQ(read({turned}, {.labels = {kLine}}).labels,
            std::vector<NamesOfLabels>{{{"two words"}}});
}

TEST_F(LabelledTextTest, ALineMayHaveALabelForEachOfItsBytes) {
  std::string labels;
  for (int i = 0; i < 100000; ++i) labels += std::to_string(i % 90000) + ",";
  const std::string file = folder.write("a.tsv", "text\t" + labels + "\n");
  const Seen seen = read({file}, {.labels = {{.field = 1, .is_of_line = true, .separators = ","}}});
  ASSERT_EQ(seen.labels.size(), 1u);
  EXPECT_EQ(seen.labels[0][0].size(), 90000u);
  EXPECT_EQ(seen.labels[0][0].back(), "89999");
}

TEST_F(LabelledTextTest, TheFirstWordMayBeTheLabel) {
  const std::string file = folder.write("a.txt", "5 How far is it ?\n0  What ?\n1\n\n");
  const Seen seen =
      read({file}, {.layout = LabelledLayout::kFirstWord, .text_field = 1, .labels = {kFirst}});
  EXPECT_EQ(seen.texts, (Words{"How far is it ?", "What ?"}));
  EXPECT_EQ(seen.labels, (std::vector<NamesOfLabels>{{{"5"}}, {{"0"}}}));
  EXPECT_EQ(seen.faults, (Faults{file + ":3: has no words; expected at least one",
                                 file + ":4: has no words; expected at least one"}));
}

TEST_F(LabelledTextTest, FieldsOfJsonMayHaveTabsAndLineBreaks) {
  const std::string file = folder.write("a.jsonl", R"(["x y", "one\ttwo\nthr\u00e9e", "more"]
["z"]
{"text": "a"}
["z", 1]
["z", "a"
)");
  const Seen seen =
      read({file}, {.layout = LabelledLayout::kJsonl, .text_field = 1, .labels = {kFirst}});
  EXPECT_EQ(seen.texts, Words{"one\ttwo\nthr\xC3\xA9"
                              "e"});
  EXPECT_EQ(seen.words, (std::vector<Words>{{"one", "two",
                                             "thr\xC3\xA9"
                                             "e"}}));
  EXPECT_EQ(seen.labels, std::vector<NamesOfLabels>{{{"x y"}}});
  const std::string message =
      ": expected an array of JSON of at least 2 strings; hint: --format is the layout of the file";
  EXPECT_EQ(seen.faults, (Faults{file + ":2" + message, file + ":3" + message,
                                 file + ":4" + message, file + ":5" + message}));
}

TEST_F(LabelledTextTest, ExamplesMayHaveWeights) {
  const std::string file =
      folder.write("a.tsv", "x\ta\t2.5\nx\tb\t 0 \nx\tc\t-1\nx\td\tnan\nx\te\t2e6\nx\tf\t1,5\n");
  const LabelledTextOptions options{.text_field = 1, .weight_field = 2, .labels = {kFirst}};
  std::vector<float> weights;
  const auto text = open_labelled_text({file}, options);
  while (text->next()) {
    if (!text->fault()) weights.push_back(text->example().weight);
  }
  EXPECT_THAT(weights, testing::ElementsAre(2.5F, 0));
  EXPECT_THAT(
      read({file}, options).faults,
      testing::ElementsAre(file + ":3: a weight '-1'; expected a number from 0 to 1000000",
                           file + ":4: a weight 'nan'; expected a number from 0 to 1000000",
                           file + ":5: a weight '2e6'; expected a number from 0 to 1000000",
                           file + ":6: a weight '1,5'; expected a number from 0 to 1000000"));
}

TEST_F(LabelledTextTest, ReadingAllStopsAtTheFirstFault) {
  const std::string file = folder.write("a.tsv", "a\tA\nb\nc\n");
  int taken = 0;
  EXPECT_EQ(message_of<FormatError>([&] {
              read_labelled_text({file}, {.labels = {kLine}},
                                 [&](const LabelledText&) { ++taken; });
            }),
            file + ":2: too few columns; expected 2 with tabs between them");
  EXPECT_EQ(taken, 1);
}

TEST_F(LabelledTextTest, LayoutsHaveNames) {
  for (const char* name : {"tsv", "files", "first-word", "jsonl", "conll", "conllu"}) {
    EXPECT_NO_THROW(labelled_layout_named(name));
  }
  EXPECT_EQ(message_of<OptionError>([] { labelled_layout_named("csv"); }),
            "labelled text: expected tsv, files, first-word, jsonl, conll or conllu, got 'csv'");
}

TEST_F(LabelledTextTest, OptionsThatDoNotFitAreRefused) {
  const std::string file = folder.write("a", "");
  const auto open = [&](const LabelledTextOptions& options, size_t files) {
    open_labelled_text(std::vector<std::string>(files, file), options);
  };
  const auto expect = [&](const LabelledTextOptions& options, size_t files, const char* message) {
    EXPECT_EQ(message_of<OptionError>([&] { open(options, files); }),
              std::string("labelled text: ") + message);
  };
  expect({.layout = LabelledLayout::kConll, .labels = {kLine}}, 1,
         "labels of a whole line; expected a layout of one example a line");
  expect({.layout = LabelledLayout::kFirstWord, .labels = {{1}}}, 1,
         "labels of words; expected another layout than first-word");
  expect({.layout = LabelledLayout::kFirstWord, .text_field = 2}, 1, "field 2; expected 0 to 1");
  expect({.layout = LabelledLayout::kFiles, .labels = {{2}}}, 2, "field 2; expected 0 to 1");
  expect({.labels = {{-1}}}, 1, "field -1; expected 0 to 1048575");
  expect({.labels = {{1}, {1}}}, 1, "field 1 is named twice");
  expect({.weight_field = 1, .labels = {{1}}}, 1, "field 1 is named twice");
  expect({.layout = LabelledLayout::kConll, .weight_field = 2, .labels = {{1}}}, 1,
         "weights of texts; expected a layout of one example a line");
  expect({}, 2, "2 files; expected one");
  expect({.layout = LabelledLayout::kFiles}, 0, "0 files; expected one for each field");
}

}  // namespace
}  // namespace weft::data
