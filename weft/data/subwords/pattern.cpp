#include "weft/data/subwords/pattern.h"

#include <algorithm>
#include <string>

#include "weft/core/text/character_classes.h"
#include "weft/core/text/regex.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/word_rules.h"

namespace weft::data {
namespace {

// Lists parts, with what lies between matches.
class PartList {
 public:
  PartList(size_t size, std::vector<PatternPart>& out) : size_(size), out_(out) {}

  void match(size_t begin, size_t end) {
    gap(begin);
    if (begin < end) put(begin, end, true);
  }
  void finish() { gap(size_); }

 private:
  void gap(size_t end) {
    if (done_ < end) put(done_, end, false);
  }
  void put(size_t begin, size_t end, bool is_match) {
    out_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), is_match});
    done_ = end;
  }

  size_t size_, done_ = 0;
  std::vector<PatternPart>& out_;
};

class StringPattern : public Pattern {
 public:
  explicit StringPattern(std::string_view string) : string_(string) {}

  void split(std::string_view text, std::vector<PatternPart>& out) const override {
    PartList parts(text.size(), out);
    for (size_t i = 0; !string_.empty() && (i = text.find(string_, i)) != text.npos;
         i += string_.size()) {
      parts.match(i, i + string_.size());
    }
    parts.finish();
  }

 private:
  std::string string_;
};

class RegexPattern : public Pattern {
 public:
  RegexPattern(std::string_view pattern, std::string_view where) : regex_(pattern, where) {}

  void split(std::string_view text, std::vector<PatternPart>& out) const override {
    PartList parts(text.size(), out);
    for (size_t from = 0; from < text.size();) {
      const auto found = regex_.search(text, from);
      if (!found) break;
      parts.match(found->begin, found->end);
      from = found->begin < found->end
                 ? found->end
                 : found->end + std::max<size_t>(utf8_length(text.substr(found->end)), 1);
    }
    parts.finish();
  }

 private:
  Regex regex_;
};

class ClassPattern : public Pattern {
 public:
  explicit ClassPattern(uint16_t classes) : classes_(classes) {}

  void split(std::string_view text, std::vector<PatternPart>& out) const override {
    const CharacterClasses& classes = CharacterClasses::instance();
    PartList parts(text.size(), out);
    char32_t c = 0;
    for (size_t i = 0, length; i < text.size(); i += length) {
      length = decode_code_point(text.substr(i), c);
      if (classes[c] & classes_) parts.match(i, i + length);
    }
    parts.finish();
  }

 private:
  uint16_t classes_;
};

class RulePattern : public Pattern {
 public:
  explicit RulePattern(const WordRule& rule) : rule_(rule) {}

  void split(std::string_view text, std::vector<PatternPart>& out) const override {
    for (size_t i = 0; i < text.size();) {  // every character is part of a match
      const size_t end = rule_.end_of_word(text, i);
      out.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(end), true});
      i = end;
    }
  }

 private:
  const WordRule& rule_;
};

}  // namespace

PatternPtr string_pattern(std::string_view string) {
  return std::make_shared<StringPattern>(string);
}

PatternPtr oniguruma_pattern(std::string_view pattern, std::string_view where) {
  return std::make_shared<RegexPattern>(pattern, where);
}

PatternPtr regex_pattern(std::string_view pattern, std::string_view where) {
  if (const WordRule* rule = word_rule(pattern)) return std::make_shared<RulePattern>(*rule);
  return oniguruma_pattern(pattern, where);
}

PatternPtr class_pattern(uint16_t classes) { return std::make_shared<ClassPattern>(classes); }

PatternPtr read_pattern(JsonNode& node, std::string_view name) {
  JsonNode pattern = node.node(name);
  PatternPtr out = pattern.has("Regex") ? regex_pattern(pattern.text("Regex"), pattern.where())
                                        : string_pattern(pattern.text("String"));
  pattern.finish();
  return out;
}

}  // namespace weft::data
