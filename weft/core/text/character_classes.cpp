#include "weft/core/text/character_classes.h"

#include <algorithm>
#include <map>
#include <span>

#include "weft/core/text/character_tables.h"

namespace weft {
namespace {

constexpr CharacterRange kSpaceRanges[] = {
    {0x9, 0xD},       {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

constexpr CharacterRange kNulRange[] = {{0, 0}};

struct ClassRanges {
  CharacterClass bit;
  std::span<const CharacterRange> ranges;
};

}  // namespace

const CharacterClasses& CharacterClasses::instance() {
  static const CharacterClasses classes;
  return classes;
}

CharacterClasses::CharacterClasses() {
  std::vector<uint16_t> all(kCharacters, 0);
  for (const auto& [bit, ranges] :
       {ClassRanges{kLetterClass, kLetters}, ClassRanges{kNumberClass, kNumbers},
        ClassRanges{kMarkClass, kMarks}, ClassRanges{kSpaceClass, kSpaceRanges},
        ClassRanges{kNumericClass, kNumericCharacters},
        ClassRanges{kPunctuationClass, kBertPunctuation},
        ClassRanges{kNonspacingClass, kBertNonspacing}, ClassRanges{kControlClass, kBertControl},
        ClassRanges{kControlClass, kNulRange}, ClassRanges{kCombiningClass, kCombining}}) {
    for (const CharacterRange& range : ranges) {
      for (char32_t c = range.first; c <= range.last; ++c) all[c] |= bit;
    }
  }
  std::map<Block, uint16_t> known;
  for (uint32_t i = 0; i < block_of_.size(); ++i) {
    Block block;
    std::copy_n(all.begin() + i * kBlock, kBlock, block.begin());
    const auto [found, added] = known.emplace(block, static_cast<uint16_t>(blocks_.size()));
    if (added) blocks_.push_back(block);
    block_of_[i] = found->second;
  }
}

}  // namespace weft
