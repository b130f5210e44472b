// What splits text: a string, a regular expression, or a class of characters.
#ifndef WEFT_DATA_SUBWORDS_PATTERN_H_
#define WEFT_DATA_SUBWORDS_PATTERN_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/data/subwords/nodes/json_node.h"

namespace weft::data {

// A part of a text that the pattern matches, or that lies between matches.
struct PatternPart {
  uint32_t begin, end;
  bool is_match;
};

class Pattern {
 public:
  virtual ~Pattern() = default;
  // Appends the parts of the text in order; empty matches are none.
  virtual void split(std::string_view text, std::vector<PatternPart>& out) const = 0;
};

using PatternPtr = std::shared_ptr<const Pattern>;

PatternPtr string_pattern(std::string_view string);
// The common rules of tokenisers run as own code, other expressions by Oniguruma.
PatternPtr regex_pattern(std::string_view pattern, std::string_view where);
PatternPtr oniguruma_pattern(std::string_view pattern, std::string_view where);
// Each character, by itself, that has one of these bits of CharacterClass.
PatternPtr class_pattern(uint16_t classes);
// The field `name` of a node: {"String": "..."} or {"Regex": "..."}.
PatternPtr read_pattern(JsonNode& node, std::string_view name);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_PATTERN_H_
