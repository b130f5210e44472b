#include "weft/data/corpus/corpus_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <numeric>

#include "tests/data/files.h"
#include "tests/support/captured_log.h"
#include "tests/support/kept_threads.h"
#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using test::CapturedLog;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr int64_t kPairs = 2 * kChunkExamples + 100;

// Words a, b and c, and what happens at every line that is tokenised.
class Watched : public WordTokeniser {
 public:
  explicit Watched(std::string_view words = "a\nb\nc\n")
      : WordTokeniser(Vocabulary::from_list(words, "v")) {}
  std::vector<int32_t> encode(std::string_view line) const override {
    const int64_t number = ++lines;
    if (at_line) at_line(number);
    return WordTokeniser::encode(line);
  }
  mutable std::atomic<int64_t> lines = 0;
  std::function<void(int64_t)> at_line;
};

class CorpusCache : public testing::Test {
 protected:
  CorpusCache() {
    write_text(kPairs);
    options_.vocabs = {folder_.path("v"), folder_.path("v")};
    options_.corpus_cache = folder_.path("cache");
    std::filesystem::create_directory(options_.corpus_cache);
    options_.max_length = 9;
  }

  // Lines of 0 to 9 source and 1 to 7 target words, some of them unknown.
  void write_text(int64_t pairs) {
    std::string source, target;
    for (int64_t i = 0; i < pairs; ++i) {
      for (int64_t j = 0; j < i * 7 % 10; ++j) source += "abcd"[(i + j) % 4], source += ' ';
      for (int64_t j = 0; j <= i * 5 % 7; ++j) target += "cab"[(i + j) % 3], target += ' ';
      source += '\n', target += '\n';
    }
    options_.train_sets = {folder_.file("text.en", source), folder_.file("text.de", target)};
  }

  Corpus load() { return load_training_corpus(options_, {words_, words_}); }
  Corpus load_uncached() const {
    DataOptions options = options_;
    options.corpus_cache = "off";
    const auto plain = std::make_shared<Watched>();
    return load_training_corpus(options, {plain, plain});
  }
  // Lines that the next load() tokenises.
  int64_t lines_of_load() {
    words_->lines = 0;
    load();
    return words_->lines;
  }
  std::string cache_file() const { return corpus_cache_path(options_); }
  std::vector<std::string> cache_names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(options_.corpus_cache)) {
      out.push_back(entry.path().filename().string());
    }
    return out;
  }

  TempFolder folder_;
  DataOptions options_;
  std::shared_ptr<Watched> words_ = std::make_shared<Watched>();
};

void expect_equal(const Corpus& got, const Corpus& expected) {
  ASSERT_EQ(got.size(), expected.size());
  EXPECT_EQ(got.fingerprint(), expected.fingerprint());
  ASSERT_EQ(got.reports().size(), expected.reports().size());
  for (size_t p = 0; p < got.reports().size(); ++p) {
    EXPECT_EQ(got.reports()[p].text(), expected.reports()[p].text());
    EXPECT_EQ(got.parts()[p].end, expected.parts()[p].end);
    EXPECT_EQ(got.parts()[p].weight, expected.parts()[p].weight);
  }
  std::vector<int64_t> all;
  for (int64_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got.line(i), expected.line(i));
    ASSERT_EQ(got.cost(i).total(), expected.cost(i).total());
    all.push_back(got.size() - 1 - i);
  }
  const Batch a = got.batch(all), b = expected.batch(all);
  EXPECT_EQ(a.source().ids, b.source().ids);
  EXPECT_EQ(a.source().segments.offsets, b.source().segments.offsets);
  EXPECT_EQ(a.target().ids, b.target().ids);
  EXPECT_EQ(a.target().segments.offsets, b.target().segments.offsets);
}

TEST_F(CorpusCache, HoldsWhatTheTextHolds) {
  const Corpus expected = load_uncached();
  ASSERT_GT(expected.size(), kChunkExamples);
  expect_equal(load(), expected);
  EXPECT_TRUE(std::filesystem::exists(cache_file()));
  expect_equal(load(), expected);
}

TEST_F(CorpusCache, HoldsSeveralPartsWithTheWeightsOfNow) {
  const std::string more = folder_.write("more.gz", "a\nb b\n\nc\n");
  options_.train_sets.insert(options_.train_sets.end(), {more, more});
  options_.train_weights = {1, 3};
  load();
  options_.train_weights = {0.5, 2};
  EXPECT_EQ(lines_of_load(), 0);
  expect_equal(load(), load_uncached());
}

TEST_F(CorpusCache, IsTokenisedOnce) {
  EXPECT_EQ(lines_of_load(), 2 * kPairs);
  EXPECT_EQ(lines_of_load(), 0);
  const CapturedLog log;
  EXPECT_EQ(lines_of_load(), 0);
  EXPECT_EQ(log.text(), "tokenised text: " + cache_file() + "\n");
}

TEST_F(CorpusCache, IsMadeAgainForAnotherText) {
  load();
  // One letter, at the same size.
  std::fstream(options_.train_sets[1], std::ios::in | std::ios::out).seekp(0).put('b');
  const CapturedLog log;
  EXPECT_EQ(lines_of_load(), 2 * kPairs);
  EXPECT_THAT(log.text(),
              HasSubstr(" is of another text, vocabulary or length limit: it is made "));
  expect_equal(load(), load_uncached());
  EXPECT_EQ(lines_of_load(), 0);
  EXPECT_EQ(cache_names().size(), 1u) << "in place of the old one";
}

TEST_F(CorpusCache, IsMadeAgainForOtherLimits) {
  load();
  options_.max_length = 4;
  EXPECT_GT(lines_of_load(), 0);
  expect_equal(load(), load_uncached());
  options_.max_length_crop = true;
  EXPECT_GT(lines_of_load(), 0);
  expect_equal(load(), load_uncached());
}

TEST_F(CorpusCache, IsMadeAgainForAnotherVocabulary) {
  load();
  words_ = std::make_shared<Watched>("a\nb\nc\nd\n");
  EXPECT_GT(lines_of_load(), 0);
  EXPECT_EQ(load().reports()[0].unknown, (std::vector<int64_t>{0, 0}));
}

TEST_F(CorpusCache, IsNotBelievedWithAChangedByte) {
  load();
  const std::string good = test::read_bytes(cache_file());
  const Corpus expected = load_uncached();
  const size_t places[] = {
      0, 9, 16, 5000, good.size() / 2, good.size() - 60, good.size() - 16, good.size() - 1};
  for (const size_t place : places) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 0x40);
    folder_.file("cache/" + cache_names()[0], bad);
    const CapturedLog log;
    EXPECT_EQ(lines_of_load(), 2 * kPairs) << place;
    EXPECT_THAT(log.text(), HasSubstr(": it is made again\n")) << place;
    expect_equal(load(), expected);
    EXPECT_EQ(test::read_bytes(cache_file()), good) << place;
  }
}

TEST_F(CorpusCache, IsNotBelievedCutOff) {
  load();
  const std::string good = test::read_bytes(cache_file());
  for (const size_t size :
       {size_t{0}, size_t{8}, size_t{24}, good.size() / 2, good.size() - 8, good.size() - 1}) {
    std::filesystem::resize_file(cache_file(), size);
    const CapturedLog log;
    EXPECT_EQ(lines_of_load(), 2 * kPairs) << size;
    EXPECT_THAT(log.warnings(), HasSubstr(": it is made again\n")) << size;
    EXPECT_EQ(test::read_bytes(cache_file()), good) << size;
  }
}

// By an error, not by a signal.
TEST_F(CorpusCache, IsNotReadOnWhereItIsCutOffInUse) {
  load();
  const Corpus corpus = load();
  std::vector<int64_t> all(static_cast<size_t>(corpus.size()));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_NO_THROW(corpus.batch(all));
  for (const uintmax_t size : {std::filesystem::file_size(cache_file()) / 2, uintmax_t{0}}) {
    std::filesystem::resize_file(cache_file(), size);
    EXPECT_THAT(message_of<FileError>([&] { corpus.batch(all); }),
                StartsWith(cache_file() + ": was changed while it was in use; hint: "));
  }
  expect_equal(load(), load_uncached());
}

TEST_F(CorpusCache, IsNotBelievedWhereItIsOverwrittenInUse) {
  load();
  const Corpus corpus = load();
  std::vector<int64_t> last = {corpus.size() - 1};
  const Batch before = corpus.batch(last);
  const std::string bytes = test::read_bytes(cache_file());
  const std::vector<int32_t> ids = corpus.ids(1, last.front());
  const std::string_view pattern(reinterpret_cast<const char*>(ids.data()),
                                 ids.size() * sizeof(int32_t));
  // Ids that are ids of the vocabulary, too.
  const auto overwrite = [&](size_t place, char id) {
    std::fstream(cache_file(), std::ios::in | std::ios::out).seekp(std::streamoff(place)).put(id);
  };
  const size_t place = bytes.rfind(pattern);
  overwrite(place, static_cast<char>(bytes[place] ^ 1));
  EXPECT_THAT(message_of<FileError>([&] { corpus.batch(last); }),
              HasSubstr(": was changed while it was in use; hint: "));
  overwrite(place, bytes[place]);
  EXPECT_EQ(corpus.batch(last).target().ids, before.target().ids);
}

// As AtomicFile does: the file that is open stays as it is.
TEST_F(CorpusCache, MayBeReplacedInUse) {
  load();
  const Corpus corpus = load();
  write_file(cache_file(), "something else");
  expect_equal(corpus, load_uncached());
}

TEST_F(CorpusCache, LeavesNoFileWhereItsWriterIsKilled) {
  const test::KeptThreads kept;
  set_threads(1);
  // Text is tokenised in blocks of 16384 pairs; the chunks of the first are written by the second.
  constexpr int64_t kBlock = 16384;
  write_text(kBlock + 100);
  words_->at_line = [](int64_t line) {
    if (line > 2 * kBlock) _exit(7);
  };
  const pid_t child = fork();
  if (child == 0) {
    load();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 7);
  ASSERT_THAT(cache_names(), ElementsAre(EndsWith(".partial")));
  const auto partial_size = std::filesystem::file_size(cache_file() + ".partial");
  // The next writer takes the file over, though it has less to write.
  write_text(kPairs);
  words_->at_line = nullptr;
  EXPECT_EQ(lines_of_load(), 2 * kPairs);
  EXPECT_THAT(cache_names(), ElementsAre(EndsWith(".corpus")));
  EXPECT_LT(std::filesystem::file_size(cache_file()), partial_size);
  EXPECT_EQ(lines_of_load(), 0);
}

TEST_F(CorpusCache, IsNotMadeOfTextThatChanges) {
  words_->at_line = [this](int64_t line) {
    if (line == 1) std::ofstream(options_.train_sets[0], std::ios::app) << "a";
  };
  EXPECT_EQ(
      message_of<FileError>([&] { load(); }),
      options_.train_sets[0] + " + " + options_.train_sets[1] + ": has changed while it was read");
  EXPECT_THAT(cache_names(), IsEmpty());
}

TEST_F(CorpusCache, ErrorsOfTheTextComeThrough) {
  // One that a second reading would not meet.
  words_->at_line = [is_met = std::make_shared<std::atomic<bool>>()](int64_t) {
    if (!is_met->exchange(true)) fail<FormatError>("text", "has a bad line");
  };
  EXPECT_EQ(message_of<FormatError>([&] { load(); }), "text: has a bad line");
  EXPECT_THAT(cache_names(), IsEmpty());
  words_->at_line = nullptr;
  std::ofstream(options_.train_sets[0], std::ios::app) << "a\n";
  EXPECT_THAT(message_of<FormatError>([&] { load(); }), HasSubstr("files of different length"));
  EXPECT_THAT(cache_names(), IsEmpty());
  options_.train_sets[0] = folder_.path("none");
  EXPECT_THAT(message_of<FileError>([&] { load(); }), HasSubstr("/none: cannot be opened"));
}

TEST_F(CorpusCache, IsDoneWithoutWhereNoFileCanBeWritten) {
  options_.corpus_cache = "/proc";
  const CapturedLog log;
  expect_equal(load(), load_uncached());
  EXPECT_THAT(log.text(), HasSubstr("no file of tokenised text: /proc/text.en."));
  EXPECT_THAT(log.warnings(), IsEmpty());
  EXPECT_EQ(std::ranges::count(log.text(), '\n'), 1);
}

TEST_F(CorpusCache, IsDoneWithoutWhileAnotherProcessWritesIt) {
  const AtomicFile other(cache_file());
  const CapturedLog log;
  expect_equal(load(), load_uncached());
  EXPECT_THAT(log.text(), HasSubstr("another process is writing it"));
}

TEST_F(CorpusCache, StandsBesideTheFirstVocabularyForLargeText) {
  options_.corpus_cache = "auto";
  EXPECT_EQ(corpus_cache_path(options_), "");
  std::filesystem::resize_file(options_.train_sets[0], 64'000'000);  // a hole, nothing is written
  EXPECT_THAT(corpus_cache_path(options_),
              testing::MatchesRegex(folder_.folder() + "/text\\.en\\.[0-9a-f]{8}\\.corpus"));
  options_.corpus_cache = "off";
  EXPECT_EQ(corpus_cache_path(options_), "");
}

TEST_F(CorpusCache, HasAFileForEachTextAndVocabulary) {
  const std::string first = corpus_cache_path(options_);
  options_.vocabs[1] = folder_.path("w");
  const std::string second = corpus_cache_path(options_);
  EXPECT_NE(first, second);
  std::swap(options_.train_sets[0], options_.train_sets[1]);
  EXPECT_NE(corpus_cache_path(options_), second);
}

TEST_F(CorpusCache, IsNotMadeOfStandardInputOrPipes) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.folder());
  options_.train_sets[1] = folder_.file("-", "a\n");
  EXPECT_NE(corpus_cache_path(options_), "");
  options_.train_sets[1] = "-";  // standard input, whatever file has that name
  EXPECT_EQ(corpus_cache_path(options_), "");
  std::filesystem::current_path(before);
  options_.train_sets[1] = "/dev/null";
  EXPECT_EQ(corpus_cache_path(options_), "");
  options_.train_sets[1] = folder_.path("pipe");
  ASSERT_EQ(mkfifo(options_.train_sets[1].c_str(), 0600), 0);
  EXPECT_EQ(corpus_cache_path(options_), "");
}

TEST_F(CorpusCache, NamesAFolderThatIsNotThere) {
  options_.corpus_cache = "cach";
  EXPECT_EQ(message_of<OptionError>([&] { check_corpus_cache(options_); }),
            "--corpus-cache: expected auto, off or a folder that is there, got 'cach'");
  for (const std::string good : {"auto", "off", "/tmp"}) {
    options_.corpus_cache = good;
    EXPECT_NO_THROW(check_corpus_cache(options_));
  }
}

}  // namespace
}  // namespace weft::data
