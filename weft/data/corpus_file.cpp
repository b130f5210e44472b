#include "weft/data/corpus_file.h"

#include <algorithm>
#include <array>

#include "weft/core/atomic_file.h"
#include "weft/core/checksum.h"
#include "weft/core/error.h"
#include "weft/core/mapped_file.h"

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

// Checks the chunks, one after the other, so that no more than one of them has to be in memory.
class ChunkReader {
 public:
  ChunkReader(const MappedFile& file, Words words, const CorpusText& text, const std::string& path)
      : file_(&file),
        rest_(words.subspan(1)),
        vocabularies_(vocabulary_sizes(text.tokenisers)),
        path_(&path) {
    checksum_.add(words.data(), sizeof(uint64_t));
  }

  CorpusChunk next(uint64_t size) {
    const Words words = take(size);
    CorpusChunk chunk = view_chunk(words, vocabularies_, *path_);
    file_->release(words.data(), words.size_bytes());
    return chunk;
  }
  // The checksum of all before the last word, which is it.
  void check_end() {
    take(rest_.size() - 1);
    if (checksum_.value() == rest_.front()) return;
    fail<FormatError>(*path_, "its checksum is another; hint: the file is damaged");
  }

 private:
  Words take(uint64_t size) {
    const Words words = rest_.first(size);
    rest_ = rest_.subspan(size);
    checksum_.add(words.data(), words.size_bytes());
    return words;
  }

  const MappedFile* file_;
  Words rest_;
  std::vector<int32_t> vocabularies_;
  const std::string* path_;
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
  const auto file = std::make_shared<const MappedFile>(path);
  const std::string_view bytes = file->bytes();
  const Words words(reinterpret_cast<const uint64_t*>(bytes.data()),
                    bytes.size() / sizeof(uint64_t));
  if (words.size() < 1 + kTrailerWords || bytes.size() % sizeof(uint64_t) != 0 ||
      words.front() != kCorpusMagic) {
    fail<FormatError>(path, "is no tokenised text, or is cut off");
  }
  const uint64_t index_begin = words[words.size() - kTrailerWords];
  if (index_begin < 1 || index_begin > words.size() - kTrailerWords) {
    fail<FormatError>(path, "its index is not in it; hint: the file is cut off or damaged");
  }
  IndexReader index(words.subspan(index_begin, words.size() - kTrailerWords - index_begin), path);
  if (index.word() != key) return std::nullopt;
  if (index.number(kMostExamples) != text.field_count()) index.fail_index();
  const int64_t chunks = index.number(index.words_left());
  if (index.number(kMostExamples) != std::ssize(text.parts)) index.fail_index();

  CorpusContents out;
  out.fingerprint = index.word();
  ChunkReader reader(*file, words, text, path);
  uint64_t left = index_begin - 1;
  int64_t examples = 0;
  for (int64_t i = 0; i < chunks; ++i) {
    const int64_t size = index.number(left);
    left -= static_cast<uint64_t>(size);
    out.chunks.push_back(reader.next(static_cast<uint64_t>(size)));
    const bool is_last = i + 1 == chunks;
    const int64_t count = out.chunks.back().size();
    if (count < 1 || (!is_last && count != kChunkExamples)) index.fail_index();
    examples += count;
  }
  out.parts = read_parts(index, std::ssize(text.parts), text);
  if (left != 0 || index.words_left() != 0 || out.parts.size() != examples) index.fail_index();
  reader.check_end();
  out.memory = file;
  return out;
}

}  // namespace weft::data
