// The text of a line that is written while it is being translated.
#ifndef WEFT_DECODE_GROWING_TEXT_H_
#define WEFT_DECODE_GROWING_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::decode {

// Tells whole words, each once, as soon as all tokens up to the next space are decided. The pieces
// of a line are told in their order, joined (data::join_sentences).
class GrowingText {
 public:
  using Spell = std::function<std::string(std::span<const int32_t> tokens)>;
  using Tell = std::function<void(std::string_view more)>;

  // `spell` gives the text of a piece's first tokens; what stands before its last space has to stay
  // when more tokens follow.
  GrowingText(size_t pieces, Spell spell, Tell tell)
      : texts_(pieces), is_over_(pieces), spell_(std::move(spell)), tell_(std::move(tell)) {}

  // A piece begins with these tokens, or has no others where it is over.
  void decide(size_t piece, std::span<const int32_t> tokens, bool is_over);
  // Tells the rest of what the line is in the end.
  void finish(std::string_view line);

 private:
  std::vector<std::string> texts_;
  std::vector<bool> is_over_;
  Spell spell_;
  Tell tell_;
  std::string told_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_GROWING_TEXT_H_
