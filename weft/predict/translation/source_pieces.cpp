#include "weft/predict/translation/source_pieces.h"

#include "weft/data/text/sentence_ends.h"

namespace weft::predict {
namespace {

// The sentences of a text that is split.
class CutText {
 public:
  CutText(const data::Tokeniser& tokeniser, std::string_view text)
      : tokeniser_(&tokeniser), text_(text), ends_(data::sentence_ends(text)) {
    for (size_t s = 0; s < ends_.size(); ++s) lengths_.push_back(std::ssize(encode(s, s + 1)));
  }

  size_t count() const { return ends_.size(); }

  // Tokens of sentences [first, last) together, without the white space behind them.
  std::vector<int32_t> encode(size_t first, size_t last) const {
    const size_t begin = first == 0 ? 0 : ends_[first - 1];
    std::string_view part = text_.substr(begin, ends_[last - 1] - begin);
    part = part.substr(0, part.find_last_not_of(" \t") + 1);
    return tokeniser_->encode(part);
  }

  // The end of the sentences from `first` on whose tokens add up to `most` at most; one at least.
  size_t reach(size_t first, int64_t most) const {
    size_t last = first + 1;
    for (int64_t sum = lengths_[first]; last < count(); ++last) {
      sum += lengths_[last];
      if (sum > most) break;
    }
    return last;
  }

 private:
  const data::Tokeniser* tokeniser_;
  std::string_view text_;
  std::vector<size_t> ends_;
  std::vector<int64_t> lengths_;
};

}  // namespace

SourcePieces cut_source(const data::Tokeniser& tokeniser, std::string_view text, int64_t most) {
  SourcePieces out;
  const auto add = [&](std::vector<int32_t> ids) {
    if (std::ssize(ids) > most) {
      ids.resize(static_cast<size_t>(most));
      out.is_cropped = true;
    }
    if (!ids.empty()) out.pieces.push_back(std::move(ids));
  };
  std::vector<int32_t> whole = tokeniser.encode(text);
  if (std::ssize(whole) <= most) {
    add(std::move(whole));
    return out;
  }
  const CutText sentences(tokeniser, text);
  for (size_t first = 0, last = 0; first < sentences.count(); first = last) {
    last = sentences.reach(first, most);
    std::vector<int32_t> ids = sentences.encode(first, last);
    // Tokenised together they can have more tokens than separately.
    while (std::ssize(ids) > most && last > first + 1) ids = sentences.encode(first, --last);
    add(std::move(ids));
  }
  return out;
}

}  // namespace weft::predict
