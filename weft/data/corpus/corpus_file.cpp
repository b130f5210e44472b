#include "weft/data/corpus/corpus_file.h"

#include <algorithm>
#include <array>
#include <limits>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/checksum.h"
#include "weft/core/files/positioned_file.h"

namespace weft::data {
namespace {

constexpr uint64_t kCorpusMagic = 0x31707263'74666577;  // "weftcrp1"
constexpr size_t kTrailerWords = 2;

using Words = std::span<const uint64_t>;

// What of a report is kept, besides its name.
constexpr std::array kCounts = {&CorpusReport::lines,       &CorpusReport::kept,
                                &CorpusReport::over_long,   &CorpusReport::bad_utf8,
                                &CorpusReport::few_columns, &CorpusReport::empty,
                                &CorpusReport::too_long,    &CorpusReport::cropped};

class Writer {
 public:
  explicit Writer(const std::string& path) : file_(path) { write(ChunkWords{kCorpusMagic}); }

  void write(const ChunkWords& words) {
    const size_t bytes = words.size() * sizeof(uint64_t);
    file_.write(words.data(), bytes);
    checksum_.add(words.data(), bytes);
    size_ += words.size();
  }
  void write_chunk(const ChunkWords& words) {
    begins_.push_back(size_);
    sizes_.push_back(words.size());
    write(words);
  }
  // Reads back what write_chunk() wrote.
  ChunkWords chunk(int64_t i) const {
    ChunkWords words(sizes_[i]);
    file_.read(begins_[i] * sizeof(uint64_t), words.data(), words.size() * sizeof(uint64_t));
    return words;
  }
  void write_index(uint64_t key, const CorpusText& text, const CorpusParts& parts) {
    const uint64_t begin = size_;
    ChunkWords index = {key, static_cast<uint64_t>(text.field_count()), sizes_.size(),
                        parts.reports.size(), fingerprint(text, parts)};
    index.insert(index.end(), sizes_.begin(), sizes_.end());
    const auto add = [&](int64_t number) { index.push_back(static_cast<uint64_t>(number)); };
    for (size_t p = 0; p < parts.reports.size(); ++p) {
      const CorpusReport& report = parts.reports[p];
      add(parts.begins[p + 1]);
      for (const auto count : kCounts) add(report.*count);
      std::ranges::for_each(report.tokens, add);
      std::ranges::for_each(report.unknown, add);
    }
    index.push_back(begin);
    write(index);
    write({checksum_.value()});
  }
  void commit() { file_.commit(); }

 private:
  uint64_t fingerprint(const CorpusText& text, const CorpusParts& parts) const {
    const std::vector<int32_t> vocabularies = vocabulary_sizes(text.tokenisers);
    ChunkWords words;
    const auto view = [&](int64_t i) {
      words = chunk(i);
      return view_chunk(words, vocabularies, "corpus");
    };
    return corpus_fingerprint(text.field_count(), std::ssize(sizes_), view, parts.begins);
  }

  AtomicFile file_;
  Checksum checksum_;
  uint64_t size_ = 0;             // words
  std::vector<uint64_t> begins_;  // of each chunk, in words
  std::vector<uint64_t> sizes_;
};

// Takes numbers off the front of the index, never more than there are.
class IndexReader {
 public:
  IndexReader(Words words, const std::string& path) : words_(words), path_(&path) {}

  uint64_t word() {
    if (words_.empty()) fail_index();
    const uint64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  // A number in [0, most].
  int64_t number(uint64_t most) {
    const uint64_t value = word();
    if (value > most) fail_index();
    return static_cast<int64_t>(value);
  }
  uint64_t words_left() const { return words_.size(); }
  [[noreturn]] void fail_index() const {
    fail<FormatError>(*path_, "its index does not fit; hint: the file is damaged");
  }

 private:
  Words words_;
  const std::string* path_;
};

constexpr uint64_t kMostExamples = uint64_t{1} << 48;

CorpusParts read_parts(IndexReader& index, int64_t count, const CorpusText& text) {
  CorpusParts parts;
  const auto number = [&] { return index.number(kMostExamples); };
  for (int64_t p = 0; p < count; ++p) {
    const int64_t end = number();
    if (end < parts.size()) index.fail_index();
    parts.begins.push_back(end);
    CorpusReport report;
    report.name = text.parts[p].name();
    for (const auto field : kCounts) report.*field = number();
    for (int64_t f = 0; f < text.field_count(); ++f) report.tokens.push_back(number());
    for (int64_t f = 0; f < text.field_count(); ++f) report.unknown.push_back(number());
    parts.reports.push_back(std::move(report));
  }
  return parts;
}

// Words [begin, begin + count) of a file.
ChunkWords read_words(const PositionedFile& file, uint64_t begin, uint64_t count) {
  ChunkWords words(count);
  const size_t bytes = words.size() * sizeof(uint64_t);
  if (file.read(begin * sizeof(uint64_t), words.data(), bytes) == bytes) return words;
  fail<FormatError>(file.path(), "is cut off");
}

// Ids in a file. Lengths and a checksum of the ids of each example stay in memory, so that what is
// read later is what was checked, whatever others do to the file.
class TokensInFile : public CorpusTokens {
 public:
  TokensInFile(std::shared_ptr<const PositionedFile> file, int64_t fields)
      : file_(std::move(file)), fields_(static_cast<size_t>(fields)) {}

  // A chunk of the file that has been checked, and its words, which begin at word `begin`.
  void add(const CorpusChunk& chunk, Words words, uint64_t begin) {
    const bool has_gap = std::ranges::adjacent_find(chunk.lines, [](int64_t a, int64_t b) {
                           return b != a + 1;
                         }) != chunk.lines.end();
    lines_.push_back({.first = chunk.lines.front(), .all = {}});
    if (has_gap) lines_.back().all.assign(chunk.lines.begin(), chunk.lines.end());
    const auto* first = reinterpret_cast<const std::byte*>(words.data());
    for (size_t f = 0; f < fields_.size(); ++f) {
      const CorpusChunk::Field& in = chunk.fields[f];
      const auto* ids = reinterpret_cast<const std::byte*>(in.ids.data());
      fields_[f].begins.push_back(begin * sizeof(uint64_t) + static_cast<uint64_t>(ids - first));
      for (int64_t i = 0; i < chunk.size(); ++i) {
        const int64_t length = in.offsets[i + 1] - in.offsets[i];
        fields_[f].ends.push_back(static_cast<uint32_t>(in.offsets[i + 1]));
        fields_[f].sums.push_back(sum_of(in.ids.subspan(in.offsets[i], length)));
      }
    }
  }

  std::vector<int32_t> ids(int64_t field, int64_t example) const override {
    const Field& in = fields_[field];
    std::vector<int32_t> out(static_cast<size_t>(length(field, example)));
    const size_t bytes = out.size() * sizeof(int32_t);
    const uint64_t begin =
        in.begins[example / kChunkExamples] + sizeof(int32_t) * begin_of(in, example);
    const bool is_whole = file_->read(begin, out.data(), bytes) == bytes;
    if (is_whole && sum_of(out) == in.sums[example]) return out;
    fail<FileError>(file_->path(),
                    "was changed while it was in use; hint: the same command makes it again and "
                    "goes on from the last state that was saved");
  }
  int64_t length(int64_t field, int64_t example) const override {
    const Field& in = fields_[field];
    return in.ends[example] - begin_of(in, example);
  }
  int64_t line(int64_t example) const override {
    const Lines& lines = lines_[example / kChunkExamples];
    const int64_t i = example % kChunkExamples;
    return lines.all.empty() ? lines.first + i : lines.all[i];
  }

 private:
  struct Field {
    std::vector<uint64_t> begins;  // of each chunk's ids, in bytes
    std::vector<uint32_t> ends;    // of each example, in ids of its chunk
    std::vector<uint32_t> sums;    // of each example
  };
  // Of a chunk: all, or the first of lines that follow each other.
  struct Lines {
    int64_t first = 0;
    std::vector<int64_t> all;
  };
  static uint32_t begin_of(const Field& in, int64_t example) {
    return example % kChunkExamples == 0 ? 0 : in.ends[example - 1];
  }
  static uint32_t sum_of(std::span<const int32_t> ids) {
    return static_cast<uint32_t>(checksum_of(ids));
  }

  std::shared_ptr<const PositionedFile> file_;
  std::vector<Field> fields_;
  std::vector<Lines> lines_;
};

// Reads and checks the chunks, one after the other.
class ChunkReader {
 public:
  ChunkReader(const std::shared_ptr<const PositionedFile>& file, const CorpusText& text)
      : file_(file),
        vocabularies_(vocabulary_sizes(text.tokenisers)),
        tokens_(std::make_shared<TokensInFile>(file, text.field_count())) {
    checksum_.add(&kCorpusMagic, sizeof kCorpusMagic);
  }

  // Adds the chunk in the next words to the tokens; returns its examples.
  int64_t next(uint64_t words) {
    const ChunkWords chunk = read_words(*file_, begin_, words);
    checksum_.add(chunk.data(), chunk.size() * sizeof(uint64_t));
    const CorpusChunk view = view_chunk(chunk, vocabularies_, file_->path());
    constexpr int64_t kMostIds = std::numeric_limits<uint32_t>::max();
    for (const CorpusChunk::Field& field : view.fields) {
      if (std::ssize(field.ids) > kMostIds) fail<FormatError>(file_->path(), "a chunk is too long");
    }
    if (view.size() > 0) tokens_->add(view, chunk, begin_);
    begin_ += words;
    return view.size();
  }
  // Compares the checksum of all chunks and of the index with that in the file.
  void check(Words index, uint64_t expected) {
    checksum_.add(index.data(), index.size_bytes());
    if (checksum_.value() == expected) return;
    fail<FormatError>(file_->path(), "its checksum is another; hint: the file is damaged");
  }
  std::shared_ptr<const CorpusTokens> tokens() const { return tokens_; }

 private:
  std::shared_ptr<const PositionedFile> file_;
  std::vector<int32_t> vocabularies_;
  std::shared_ptr<TokensInFile> tokens_;
  uint64_t begin_ = 1;  // of the next chunk, in words
  Checksum checksum_;
};

}  // namespace

void write_corpus_file(const std::string& path, uint64_t key, const CorpusText& text,
                       const std::function<void()>& before_commit) {
  Writer writer(path);
  const CorpusParts parts =
      read_corpus(text, [&](const ChunkWords& chunk) { writer.write_chunk(chunk); });
  writer.write_index(key, text, parts);
  before_commit();
  writer.commit();
}

std::optional<CorpusContents> read_corpus_file(const std::string& path, uint64_t key,
                                               const CorpusText& text) {
  const auto file = std::make_shared<const PositionedFile>(path);
  const uint64_t size = file->size() / sizeof(uint64_t);
  if (size < 1 + kTrailerWords || file->size() % sizeof(uint64_t) != 0 ||
      read_words(*file, 0, 1).front() != kCorpusMagic) {
    fail<FormatError>(path, "is no tokenised text, or is cut off");
  }
  const uint64_t index_end = size - kTrailerWords;
  const ChunkWords trailer = read_words(*file, index_end, kTrailerWords);
  const uint64_t index_begin = trailer.front();
  if (index_begin < 1 || index_begin > index_end) {
    fail<FormatError>(path, "its index is not in it; hint: the file is cut off or damaged");
  }
  if (read_words(*file, index_begin, 1).front() != key) return std::nullopt;
  const ChunkWords index_words = read_words(*file, index_begin, size - 1 - index_begin);
  IndexReader index(Words(index_words).first(index_end - index_begin), path);
  index.word();  // the key
  if (index.number(kMostExamples) != text.field_count()) index.fail_index();
  const int64_t chunks = index.number(index.words_left());
  if (index.number(kMostExamples) != std::ssize(text.parts)) index.fail_index();

  CorpusContents out;
  out.fingerprint = index.word();
  ChunkReader reader(file, text);
  uint64_t left = index_begin - 1;
  int64_t examples = 0;
  for (int64_t i = 0; i < chunks; ++i) {
    const int64_t words = index.number(left);
    left -= static_cast<uint64_t>(words);
    const int64_t count = reader.next(static_cast<uint64_t>(words));
    const bool is_last = i + 1 == chunks;
    if (count < 1 || (!is_last && count != kChunkExamples)) index.fail_index();
    examples += count;
  }
  out.parts = read_parts(index, std::ssize(text.parts), text);
  if (left != 0 || index.words_left() != 0 || out.parts.size() != examples) index.fail_index();
  reader.check(index_words, trailer.back());
  out.tokens = reader.tokens();
  return out;
}

}  // namespace weft::data
