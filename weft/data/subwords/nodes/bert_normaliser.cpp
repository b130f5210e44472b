#include "weft/data/subwords/nodes/bert_normaliser.h"

#include "weft/core/text/character_classes.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/text_changes.h"

namespace weft::data {
namespace {

// Han characters. Each becomes a word.
bool is_chinese(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

// Calls put(character, origin, out) for the characters that are to change; the others are kept.
template <class Changes, class Put>
AlignedText mapped(AlignedText text, Changes changes, Put put) {
  AlignedText out;
  const std::string_view from = text.text();
  uint32_t kept = 0;  // the beginning of a run that is kept
  char32_t c = 0;
  for (uint32_t i = 0, length; i < from.size(); i += length) {
    length = static_cast<uint32_t>(decode_code_point(from.substr(i), c));
    if (!changes(c)) continue;
    if (kept < i) out.append(AlignedText(text, {kept, i}));
    put(from.substr(i, length), text.origin(i, i + length), out);
    kept = i + length;
  }
  if (kept == 0) return text;
  if (kept < from.size()) {
    out.append(AlignedText(text, {kept, static_cast<uint32_t>(from.size())}));
  }
  return out;
}

class BertNormaliser : public Normaliser {
 public:
  explicit BertNormaliser(JsonNode& node)
      : clean_text_(node.flag("clean_text", true)),
        splits_chinese_(node.flag("handle_chinese_chars", true)),
        lower_case_(node.flag("lowercase", true)),
        strips_accents_(node.flag("strip_accents", lower_case_)) {}

  AlignedText apply(AlignedText text) const override {
    if (clean_text_) text = clean(without(std::move(text), kControlClass));
    if (splits_chinese_) text = with_spaces(std::move(text));
    if (strips_accents_) {
      text = without(in_normal_form(std::move(text), NormalForm::kNfd), kNonspacingClass);
    }
    return lower_case_ ? in_lower_case(std::move(text)) : text;
  }

 private:
  // Every space becomes a plain one.
  static AlignedText clean(AlignedText text) {
    const CharacterClasses& classes = CharacterClasses::instance();
    return mapped(
        std::move(text), [&](char32_t c) { return c != ' ' && (classes[c] & kSpaceClass) != 0; },
        [](std::string_view, ByteRange origin, AlignedText& out) { out.append(" ", origin); });
  }

  // Chinese characters stand between spaces.
  static AlignedText with_spaces(AlignedText text) {
    return mapped(std::move(text), is_chinese,
                  [](std::string_view character, ByteRange origin, AlignedText& out) {
                    out.append(" ", origin);
                    out.append(character, origin);
                    out.append(" ", origin);
                  });
  }

  bool clean_text_, splits_chinese_, lower_case_, strips_accents_;
};

}  // namespace

std::unique_ptr<const Normaliser> read_bert_normaliser(JsonNode& node) {
  return std::make_unique<BertNormaliser>(node);
}

}  // namespace weft::data
