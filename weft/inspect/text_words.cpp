#include "weft/inspect/text_words.h"

#include <algorithm>
#include <optional>

namespace weft::inspect {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, as SentencePiece writes a space

bool is_special(const data::Tokeniser& tokeniser, int32_t id) {
  return id == tokeniser.begin_id() || id == tokeniser.end_id();
}

// How many of the first ids are those of a word; 0: others. All that is left may be a part of it,
// where the text was cropped.
size_t count_matching(std::span<const int32_t> ids, std::span<const int32_t> word,
                      const data::Tokeniser& tokeniser) {
  for (size_t i = 0; i < word.size(); ++i) {
    if (i == ids.size() || is_special(tokeniser, ids[i])) return i;
    if (ids[i] != word[i]) return 0;
  }
  return word.size();
}

// By a tokeniser of other systems, whose pieces tell in many ways where a word begins; nothing
// where words have other tokens in a text than alone.
std::optional<TextWords> match_words(const data::Tokeniser& tokeniser, std::span<const int32_t> ids,
                                     std::span<const std::string_view> words) {
  TextWords out;
  size_t word = 0;
  for (size_t n = 0; n < ids.size();) {
    if (is_special(tokeniser, ids[n])) {
      out.word_of.push_back(-1);
      ++n;
      continue;
    }
    if (word == words.size()) return std::nullopt;
    std::vector<int32_t> own = data::encode_word(tokeniser, words[word], word == 0);
    size_t count = count_matching(ids.subspan(n), own, tokeniser);
    if (count == 0) {  // one that adds the space itself
      own = data::encode_word(tokeniser, words[word], true);
      count = count_matching(ids.subspan(n), own, tokeniser);
    }
    if (count == 0 && !own.empty()) return std::nullopt;
    if (count > 0) out.words.emplace_back(words[word]);
    out.word_of.insert(out.word_of.end(), count, static_cast<int32_t>(out.words.size()) - 1);
    ++word;
    n += count;
  }
  return out;
}

}  // namespace

std::vector<float> TextWords::by_word(std::span<const double> tokens) const {
  std::vector<double> sums(words.size(), 0.0);
  for (size_t n = 0; n < tokens.size(); ++n) {
    if (word_of[n] >= 0) sums[static_cast<size_t>(word_of[n])] += tokens[n];
  }
  return {sums.begin(), sums.end()};
}

std::vector<int32_t> TextWords::without(std::span<const int32_t> ids, size_t word) const {
  std::vector<int32_t> out;
  for (size_t n = 0; n < ids.size(); ++n) {
    if (word_of[n] != static_cast<int32_t>(word)) out.push_back(ids[n]);
  }
  return out;
}

TextWords words_of(const data::Tokeniser& tokeniser, std::span<const int32_t> ids,
                   std::span<const std::string_view> words) {
  if (tokeniser.kind() == "tokenizer") {
    if (std::optional<TextWords> found = match_words(tokeniser, ids, words)) return *found;
  }
  TextWords out;
  const bool is_by_word = tokeniser.kind() == "word";
  for (const int32_t id : ids) {
    if (is_special(tokeniser, id)) {
      out.word_of.push_back(-1);
      continue;
    }
    const size_t count = out.words.size();
    std::string_view piece = tokeniser.piece(id);
    if (is_by_word && count < words.size()) piece = words[count];
    const std::string_view space = piece.starts_with(kSpace) ? kSpace : " ";
    const bool has_space = piece.starts_with(space);
    if (has_space) piece.remove_prefix(space.size());
    if (count == 0 || is_by_word || has_space) out.words.emplace_back();
    out.words.back() += piece;
    out.word_of.push_back(static_cast<int32_t>(out.words.size()) - 1);
  }
  return out;
}

TextWords words_of(const data::EncodedText& text, std::span<const std::string_view> words) {
  TextWords out{{words.begin(), words.begin() + std::ssize(text.words)},
                std::vector<int32_t>(text.ids.size(), -1)};
  for (size_t w = 0; w < text.words.size(); ++w) {
    const auto end = w + 1 < text.words.size() ? static_cast<size_t>(text.words[w + 1])
                                               : text.ids.size() - 1;  // the end symbol
    for (auto n = static_cast<size_t>(text.words[w]); n < end; ++n) {
      out.word_of[n] = static_cast<int32_t>(w);
    }
  }
  return out;
}

Tensor without_words(const models::TokenEmbedding& embedding, const Tensor& x,
                     const ops::LayoutPtr& rows, const TextWords& words,
                     std::span<const float> blank) {
  const Tensor blanks = Tensor::zeros(x.shape());
  for (int64_t n = 0; n < x.rows(); ++n) {
    std::ranges::copy(blank, blanks.data<float>() + n * x.cols());
  }
  const Tensor positions = embedding.position.add_to(blanks, rows, {}, {});
  Tensor out = Tensor::empty(x.shape());
  for (int64_t n = 0; n < x.rows(); ++n) {
    const bool is_word = words.word_of[static_cast<size_t>(n)] >= 0;
    const auto row = (is_word ? positions : x).row_range(n, n + 1).span<float>();
    std::ranges::copy(row, out.data<float>() + n * out.cols());
  }
  return out;
}

void for_each_left_out(int64_t words, int64_t tokens,
                       const std::function<void(int64_t begin, int64_t end)>& run) {
  constexpr int64_t kRowsTogether = 4096;
  const int64_t together = std::max<int64_t>(1, kRowsTogether / std::max<int64_t>(1, tokens));
  for (int64_t begin = 0; begin < words; begin += together) {
    run(begin, std::min(begin + together, words));
  }
}

}  // namespace weft::inspect
