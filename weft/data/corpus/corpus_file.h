// Tokenised text as a file that is read at any place:
//   magic, chunks, index, begin of the index, XXH3 of all before
// in words of 64 bits (little-endian). The index: key, fields, chunks, parts, fingerprint; the
// number of words of each chunk; for each part its end, in examples, and the counts of its report.
#ifndef WEFT_DATA_CORPUS_CORPUS_FILE_H_
#define WEFT_DATA_CORPUS_CORPUS_FILE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "weft/data/corpus/corpus.h"

namespace weft::data {

// Reads the text and writes it to the file under a number that stands for text, tokenisers and
// limits; what is held in memory does not grow with the text. The file appears whole, after
// `before_commit`, or not at all. Throws FileError, naming `path`, where it cannot be written, and
// what read_corpus and `before_commit` throw.
void write_corpus_file(const std::string& path, uint64_t key, const CorpusText& text,
                       const std::function<void()>& before_commit);

// The file's contents, every byte checked; nothing where it was written under another key. The file
// stays open: ids are read from it when they are asked for. Reports have the names that `text` has
// now. Throws FileError where it cannot be read, FormatError where
// it is damaged or no such file.
std::optional<CorpusContents> read_corpus_file(const std::string& path, uint64_t key,
                                               const CorpusText& text);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_CORPUS_FILE_H_
