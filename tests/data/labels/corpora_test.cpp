// The labelled corpora of the benchmarks, where they are there.
#include "tests/data/files.h"
#include "weft/data/labels/bio.h"
#include "weft/data/labels/label_set.h"
#include "weft/data/labels/labelled_text.h"

namespace weft::data {
namespace {

// A corpus as it is published, and what is in it.
struct CorpusCase {
  const char* name;
  std::vector<std::string> files;
  LabelledTextOptions options;
  int64_t examples;
  std::vector<int32_t> labels;  // of each field
};

LabelField of_line(int64_t field, const char* separators = "") {
  return {.field = field, .is_of_line = true, .separators = separators};
}

std::vector<CorpusCase> cases() {
  const LabelledTextOptions first_word{
      .layout = LabelledLayout::kFirstWord, .text_field = 1, .labels = {of_line(0)}};
  return {
      {"English-EWT",
       {"ud-english-ewt/r2.3-train.form-upos-xpos.tsv.gz"},
       {.layout = LabelledLayout::kConll, .labels = {{1}, {2}}},
       12543,
       {17, 50}},
      {"CoNLL-2000",
       {"conll2000/train.txt.gz"},
       {.layout = LabelledLayout::kConll, .labels = {{2}, {1}}},
       8936,
       {22, 44}},
      {"ATIS",
       {"atis/train.seq.in.gz", "atis/train.seq.out.gz", "atis/train.label.gz"},
       {.layout = LabelledLayout::kFiles, .labels = {{1}, of_line(2)}},
       4478,
       {120, 21}},
      {"TREC", {"trec/TREC.train.all.gz"}, first_word, 5452, {6}},
      {"SST-2", {"sst2/stsa.binary.train.gz"}, first_word, 6920, {2}},
      {"Reuters",
       {"reuters/train.tsv.gz"},
       {.text_field = 1, .labels = {of_line(0, " ")}},
       7769,
       {90}},
  };
}

TEST(LabelledCorpora, AreReadAsTheyStand) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "no " << data_folder();
  for (const CorpusCase& c : cases()) {
    SCOPED_TRACE(c.name);
    std::vector<std::string> files;
    for (const std::string& file : c.files) files.push_back(data_folder() + "/" + file);
    std::vector<LabelCounter> counters(c.labels.size());
    int64_t examples = 0;
    read_labelled_text(files, c.options, [&](const LabelledText& text) {
      ++examples;
      for (size_t i = 0; i < counters.size(); ++i) {
        for (const std::string_view label : text.example().labels[i]) counters[i].add(label);
      }
    });
    EXPECT_EQ(examples, c.examples);
    for (size_t i = 0; i < counters.size(); ++i) {
      EXPECT_EQ(counters[i].labels(c.name).size(), c.labels[i]) << "field " << i;
    }
  }
}

TEST(LabelledCorpora, AreBioWhereTheyMarkSpans) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "no " << data_folder();
  const CorpusCase c = cases()[1];
  LabelCounter counter;
  read_labelled_text({data_folder() + "/" + c.files[0]}, c.options, [&](const LabelledText& text) {
    const auto& labels = text.example().labels[0];
    std::vector<std::string> tags(labels.begin(), labels.end());
    fix_bio(tags, InvalidTags::kRefuse, [&](int64_t word) { return text.where(word); });
    for (const std::string& tag : tags) counter.add(tag);
  });
  EXPECT_TRUE(is_scheme(counter.labels("chunks").names(), TagScheme::kBio));
}

}  // namespace
}  // namespace weft::data
