// The corpus of the benchmarks, where it is there.
#include "tests/data/files.h"
#include "weft/data/batcher.h"
#include "weft/data/corpus/corpus_cache.h"
#include "weft/data/text/open_vocabularies.h"

namespace weft::data {
namespace {

TEST(Multi30k, IsReadWholeWithAWordVocabulary) {
  const std::string text_folder = data_folder() + "/multi30k/";
  if (!std::filesystem::exists(text_folder)) GTEST_SKIP() << "no " << text_folder;
  TempFolder folder;
  DataOptions options;
  options.train_sets = {text_folder + "bpe10k/train.en.gz", text_folder + "bpe10k/train.de.gz"};
  options.vocabs = {folder.path("v.yml"), folder.path("v.yml")};
  const auto vocabularies = open_vocabularies(options, vocabulary_text(options), 1).fields;
  EXPECT_EQ(vocabularies[0], vocabularies[1]);
  const Corpus corpus = load_training_corpus(options, vocabularies);
  EXPECT_EQ(corpus.size(), 29000);
  EXPECT_EQ(corpus.reports()[0].faults(), 0);
  EXPECT_EQ(corpus.reports()[0].unknown, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(corpus.reports()[0].tokens[1], 400507);
  EXPECT_EQ(undo_bpe(vocabularies[0]->decode(corpus.ids(0, 1))),
            "several men in hard hats are operating a giant pulley system .");
  EXPECT_LE(training_plan(corpus, BatchOptions(), 1, 0).size(), (400507 + 29000) / 4096 + 3);
}

}  // namespace
}  // namespace weft::data
