// The corpus of the benchmarks, where it is there.
#include "tests/data/files.h"
#include "weft/data/batcher.h"
#include "weft/data/open_vocabularies.h"

namespace weft::data {
namespace {

const std::string kFolder = WEFT_SOURCE_DIR "/../shared/data/multi30k/";

TEST(Multi30k, IsReadWholeWithAWordVocabulary) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no " << kFolder;
  TempFolder folder;
  DataOptions options;
  options.train_sets = {kFolder + "bpe10k/train.en.gz", kFolder + "bpe10k/train.de.gz"};
  options.vocabs = {folder.path("v.yml"), folder.path("v.yml")};
  const auto vocabularies = open_vocabularies(options, 1);
  EXPECT_EQ(vocabularies[0], vocabularies[1]);
  const Corpus corpus = load_training_corpus(options, vocabularies);
  EXPECT_EQ(corpus.size(), 29000);
  EXPECT_EQ(corpus.reports()[0].faults(), 0);
  EXPECT_EQ(corpus.reports()[0].unknown, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(corpus.reports()[0].tokens[1], 400507);
  EXPECT_EQ(undo_bpe(vocabularies[0]->decode(corpus.ids(0, 1))),
            "several men in hard hats are operating a giant pulley system .");
  EXPECT_LE(training_plan(corpus, options, 1, 0).size(), (400507 + 29000) / 4096 + 3);
}

}  // namespace
}  // namespace weft::data
