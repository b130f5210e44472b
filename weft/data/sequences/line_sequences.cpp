#include "weft/data/sequences/line_sequences.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/data/sequences/token_sequences.h"
#include "weft/data/sequences/training_texts.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

// The word of each token, from the row of each word's first one.
std::vector<int32_t> words_of_tokens(const EncodedText& line, bool by_word) {
  std::vector<int32_t> out(line.ids.size());
  if (!by_word) {
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  for (size_t w = 0; w < line.words.size(); ++w) {
    const auto begin = static_cast<size_t>(line.words[w]);
    const size_t end =
        w + 1 < line.words.size() ? static_cast<size_t>(line.words[w + 1]) : out.size();
    std::fill(out.begin() + static_cast<int64_t>(begin), out.begin() + static_cast<int64_t>(end),
              static_cast<int32_t>(w));
  }
  return out;
}

}  // namespace

LineSequences::LineSequences(const std::vector<std::string>& files, const TokenOptions& tokens,
                             const Tokeniser& tokeniser)
    : name_(joined_names(files)) {
  TokenOptions whole = tokens;
  whole.max_length = 0;
  read_training_texts(files, TextFormat::kLines, [&](const TrainingText& line, std::string_view) {
    ++lines_;
    std::vector<std::string_view> words;
    if (tokens.by_word) {
      for_each_word(line.text, [&](std::string_view word) { words.push_back(word); });
    }
    add_line(encode_text(tokeniser, whole, line.text, words), tokens, tokeniser);
  });
  if (sequences_.empty()) {
    fail<FormatError>(name_, "no line with a known token; expected at least one");
  }
}

void LineSequences::add_line(const EncodedText& line, const TokenOptions& tokens,
                             const Tokeniser& tokeniser) {
  const std::vector<int32_t> words = words_of_tokens(line, tokens.by_word);
  const auto first = int64_t{tokens.with_begin ? 1 : 0}, last = std::ssize(line.ids) - 1;
  const int64_t most = tokens.max_length > 0 ? tokens.max_length : last;
  for (int64_t begin = first; begin < last; begin += most) {
    const size_t count = at(std::min(most, last - begin));
    add_sequence(std::span(line.ids).subspan(at(begin), count),
                 std::span(words).subspan(at(begin), count), tokens, tokeniser);
  }
}

void LineSequences::add_sequence(std::span<const int32_t> ids, std::span<const int32_t> words,
                                 const TokenOptions& tokens, const Tokeniser& tokeniser) {
  Sequence sequence{.begin = std::ssize(ids_)};
  const auto add = [&](int32_t id, int32_t word) {
    ids_.push_back(id);
    words_.push_back(word);
    sequence.known += word == kNoLabel ? 0 : 1;
  };
  if (tokens.with_begin) add(tokeniser.begin_id(), kNoLabel);
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool is_unknown = ids[i] == tokeniser.unknown_id();
    add(ids[i], is_unknown ? kNoLabel : words[i] - words.front());
  }
  add(tokeniser.end_id(), kNoLabel);
  tokens_ += std::ssize(ids);
  unknown_ += std::ssize(ids) - sequence.known;
  sequence.rows = std::ssize(ids_) - sequence.begin;
  if (sequence.known > 0) {
    sequences_.push_back(sequence);
  } else {
    ids_.resize(at(sequence.begin));
    words_.resize(at(sequence.begin));
  }
}

Batch LineSequences::batch(std::span<const int64_t> examples) const {
  Tokens tokens;
  Labels words;
  for (const int64_t example : examples) {
    const Sequence& sequence = sequences_[at(example)];
    tokens.add(std::span(ids_).subspan(at(sequence.begin), at(sequence.rows)));
    words.add(std::span(words_).subspan(at(sequence.begin), at(sequence.rows)));
  }
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  out.fields.emplace_back(std::move(tokens));
  out.fields.emplace_back(std::move(words));
  return out;
}

uint64_t LineSequences::fingerprint() const {
  Hash hash;
  for (const Sequence& sequence : sequences_) {
    hash.add(static_cast<uint64_t>(sequence.rows));
    for (int64_t i = sequence.begin; i < sequence.begin + sequence.rows; ++i) {
      hash.add(static_cast<uint32_t>(ids_[at(i)]) | uint64_t{static_cast<uint32_t>(words_[at(i)])}
                                                        << 32);
    }
  }
  return hash.value();
}

std::string LineSequences::report() const {
  return fmt::format("{}: {}, {}, {} tokens, unknown {:.2g} %", name_, counted(lines_, "line"),
                     counted(size(), "sequence"), tokens_,
                     100 * static_cast<double>(unknown_) / static_cast<double>(tokens_));
}

}  // namespace weft::data
