#include "weft/data/corpus/corpus_chunk.h"

#include <algorithm>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/hash.h"

namespace weft::data {
namespace {

// Takes values off the front of a chunk's words, never more than there are.
class WordReader {
 public:
  WordReader(std::span<const uint64_t> words, std::string_view where)
      : words_(words), where_(where) {}

  template <class T>
  std::span<const T> take(int64_t count) {
    constexpr auto kPerWord = static_cast<int64_t>(sizeof(uint64_t) / sizeof(T));
    if (count < 0 || count > std::ssize(words_) * kPerWord) fail_chunk();
    const std::span<const T> out(reinterpret_cast<const T*>(words_.data()),
                                 static_cast<size_t>(count));
    words_ = words_.subspan(static_cast<size_t>((count + kPerWord - 1) / kPerWord));
    return out;
  }
  bool is_empty() const { return words_.empty(); }
  [[noreturn]] void fail_chunk() const {
    fail<FormatError>(where_, "a chunk's lengths or ids do not fit; hint: the file is damaged");
  }

 private:
  std::span<const uint64_t> words_;
  std::string_view where_;
};

void append(ChunkWords& words, const void* data, size_t bytes) {
  const size_t begin = words.size();
  words.resize(begin + (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  if (bytes > 0) std::memcpy(words.data() + begin, data, bytes);
}

template <class T>
void append(ChunkWords& words, const std::vector<T>& values) {
  append(words, values.data(), values.size() * sizeof(T));
}

}  // namespace

void ChunkBuilder::add(int64_t line, std::span<const std::vector<int32_t>> ids) {
  lines_.push_back(line);
  for (size_t field = 0; field < ids_.size(); ++field) {
    ids_[field].insert(ids_[field].end(), ids[field].begin(), ids[field].end());
    offsets_[field].push_back(std::ssize(ids_[field]));
  }
}

ChunkWords ChunkBuilder::take() {
  ChunkWords words{static_cast<uint64_t>(size())};
  append(words, lines_);
  for (const auto& offsets : offsets_) append(words, offsets);
  for (const auto& ids : ids_) append(words, ids);
  lines_.clear();
  for (auto& offsets : offsets_) offsets.resize(1);
  for (auto& ids : ids_) ids.clear();
  return words;
}

CorpusChunk view_chunk(std::span<const uint64_t> words, std::span<const int32_t> vocabularies,
                       std::string_view where) {
  WordReader reader(words, where);
  CorpusChunk chunk;
  const int64_t size = reader.take<int64_t>(1).front();
  if (size < 0 || size > kChunkExamples) reader.fail_chunk();
  chunk.lines = reader.take<int64_t>(size);
  chunk.fields.resize(vocabularies.size());
  for (CorpusChunk::Field& field : chunk.fields) {
    field.offsets = reader.take<int64_t>(size + 1);
    if (field.offsets.front() != 0 || !std::ranges::is_sorted(field.offsets)) reader.fail_chunk();
  }
  for (size_t f = 0; f < vocabularies.size(); ++f) {
    CorpusChunk::Field& field = chunk.fields[f];
    field.ids = reader.take<int32_t>(field.offsets.back());
    // Compared as unsigned numbers, so that those below 0 are too large.
    uint32_t most = 0;
    for (const int32_t id : field.ids) most = std::max(most, static_cast<uint32_t>(id));
    if (!field.ids.empty() && most >= static_cast<uint32_t>(vocabularies[f])) reader.fail_chunk();
  }
  if (!reader.is_empty()) reader.fail_chunk();
  return chunk;
}

uint64_t corpus_fingerprint(int64_t fields, int64_t chunks,
                            const std::function<CorpusChunk(int64_t)>& chunk,
                            std::span<const int64_t> part_begins) {
  Hash h;
  for (int64_t f = 0; f < fields; ++f) {
    for (int64_t i = 0; i < chunks; ++i) {
      const std::span<const int32_t> ids = chunk(i).fields[f].ids;
      for (const int32_t id : ids) h.add(static_cast<uint64_t>(id));
    }
    // Training states hold this number: the offsets of the whole corpus, not of its chunks.
    int64_t begin = 0;
    h.add(0);
    for (int64_t i = 0; i < chunks; ++i) {
      const std::span<const int64_t> offsets = chunk(i).fields[f].offsets;
      for (const int64_t end : offsets.subspan(1)) h.add(static_cast<uint64_t>(begin + end));
      begin += offsets.back();
    }
  }
  for (const int64_t example : part_begins) h.add(static_cast<uint64_t>(example));
  return h.value();
}

}  // namespace weft::data
