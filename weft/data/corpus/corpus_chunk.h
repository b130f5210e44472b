// Tokenised text in chunks, which lie in memory as they lie in a file.
#ifndef WEFT_DATA_CORPUS_CORPUS_CHUNK_H_
#define WEFT_DATA_CORPUS_CORPUS_CHUNK_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace weft::data {

// Every chunk of a corpus but the last has this number of examples.
inline constexpr int64_t kChunkExamples = 4096;

// Views of n consecutive examples.
struct CorpusChunk {
  struct Field {
    std::span<const int64_t> offsets;  // [n + 1] in ids
    std::span<const int32_t> ids;
  };
  std::span<const int64_t> lines;  // [n] where each example is in its file, from 0
  std::vector<Field> fields;

  int64_t size() const { return std::ssize(lines); }
};

// Words of 64 bits: n, lines [n], for each field offsets [n + 1], for each field ids [offsets[n]]
// as pairs, the last with a zero where they are odd.
using ChunkWords = std::vector<uint64_t>;

class ChunkBuilder {
 public:
  explicit ChunkBuilder(int64_t fields) : offsets_(fields, {0}), ids_(fields) {}

  // One example, its ids by field.
  void add(int64_t line, std::span<const std::vector<int32_t>> ids);
  int64_t size() const { return std::ssize(lines_); }
  // What was added; there is nothing in it afterwards.
  ChunkWords take();

 private:
  std::vector<int64_t> lines_;
  std::vector<std::vector<int64_t>> offsets_;
  std::vector<std::vector<int32_t>> ids_;
};

// Views of a chunk's words, which have to outlive it. Throws FormatError, naming `where`, for
// lengths or offsets that do not fit them, and an id that is not below its field's `vocabularies`.
CorpusChunk view_chunk(std::span<const uint64_t> words, std::span<const int32_t> vocabularies,
                       std::string_view where);

// Of all examples: the same number for the same ids in the same order and parts, and almost never
// for others. `chunk(i)` is asked for each of `chunks` chunks, once for the ids and once for the
// lengths of each field; `part_begins` are numbers of examples.
uint64_t corpus_fingerprint(int64_t fields, int64_t chunks,
                            const std::function<CorpusChunk(int64_t)>& chunk,
                            std::span<const int64_t> part_begins);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_CORPUS_CHUNK_H_
