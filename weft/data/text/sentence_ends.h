// Where a line of text may be cut between its sentences, and how sentences become a line again.
#ifndef WEFT_DATA_TEXT_SENTENCE_ENDS_H_
#define WEFT_DATA_TEXT_SENTENCE_ENDS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

// Where each sentence of a line of UTF-8 ends, in bytes, rising; the last is line.size(), and an
// empty line has none. A sentence ends behind a mark of any script (. ! ? … ؟ । ։ ።; Unicode's
// Sentence_Break) and the quotes and brackets that close it, where white space follows, which
// belongs to it; marks that stand for nothing else, such as 。！？, need no white space. A full
// stop behind a single capital letter or behind a number ("J. Smith", "3. May") ends none. Unlike
// the rules of UAX #29, lower case may begin a sentence: text is lowercased before some models.
std::vector<size_t> sentence_ends(std::string_view line);

// The sentences as one line: a space between two, but none behind one that ends in a Chinese or
// Japanese character; empty ones leave no trace.
std::string join_sentences(std::span<const std::string> sentences);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_SENTENCE_ENDS_H_
