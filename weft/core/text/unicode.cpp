#include "weft/core/text/unicode.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

namespace weft {
namespace {

UChar32 to_icu(char32_t c) { return static_cast<UChar32>(c); }

}  // namespace

std::u32string to_lower(std::u32string_view text) {
  icu::UnicodeString utf16(static_cast<int32_t>(text.size()), 0, 0);
  for (const char32_t c : text) utf16.append(to_icu(c));
  utf16.toLower(icu::Locale::getRoot());
  std::u32string out;
  out.reserve(text.size());
  for (int32_t i = 0; i < utf16.length(); i = utf16.moveIndex32(i, 1)) {
    out.push_back(static_cast<char32_t>(utf16.char32At(i)));
  }
  return out;
}

bool is_upper(char32_t c) { return u_isupper(to_icu(c)) != 0; }

bool is_digit(char32_t c) { return u_isdigit(to_icu(c)) != 0; }

SentenceMark sentence_mark_of(char32_t c) {
  const int32_t break_class = u_getIntPropertyValue(to_icu(c), UCHAR_SENTENCE_BREAK);
  if (break_class == U_SB_ATERM) return SentenceMark::kFullStop;
  if (break_class == U_SB_STERM) return SentenceMark::kTerminator;
  if (break_class == U_SB_SP) return SentenceMark::kSpace;
  if (break_class != U_SB_CLOSE && !u_hasBinaryProperty(to_icu(c), UCHAR_QUOTATION_MARK)) {
    return SentenceMark::kNone;
  }
  const int8_t category = u_charType(to_icu(c));
  const bool opens = category == U_START_PUNCTUATION || category == U_INITIAL_PUNCTUATION;
  return opens ? SentenceMark::kOpening : SentenceMark::kClosing;
}

bool is_chinese_or_japanese(char32_t c) {
  for (const UScriptCode script :
       {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_BOPOMOFO}) {
    if (uscript_hasScript(to_icu(c), script) != 0) return true;
  }
  return u_getIntPropertyValue(to_icu(c), UCHAR_EAST_ASIAN_WIDTH) == U_EA_FULLWIDTH;
}

}  // namespace weft
