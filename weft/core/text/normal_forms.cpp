#include "weft/core/text/normal_forms.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace weft {
namespace {

constexpr char32_t kCapitalDottedI = 0x130, kCombiningDot = 0x307;

utf8proc_int32_t to_utf8proc(char32_t c) { return static_cast<utf8proc_int32_t>(c); }

int combining_class(char32_t c) { return utf8proc_get_property(to_utf8proc(c))->combining_class; }

// Upper-case letters that are newer than Debian's utf8proc, and what is added for the lower case.
struct NewerCase {
  char32_t first, last;
  int32_t add;
};
constexpr NewerCase kNewerCases[] = {{0x1C89, 0x1C89, 1},      {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
                                     {0xA7CC, 0xA7CC, 1},      {0xA7CE, 0xA7CE, 1},
                                     {0xA7D2, 0xA7D2, 1},      {0xA7D4, 0xA7D4, 1},
                                     {0xA7DA, 0xA7DA, 1},      {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
                                     {0x10D50, 0x10D65, 0x20}, {0x16EA0, 0x16EB8, 0x1B}};

char32_t lower_character(char32_t c) {
  for (const NewerCase& letters : kNewerCases) {
    if (c >= letters.first && c <= letters.last) return c + static_cast<char32_t>(letters.add);
  }
  return static_cast<char32_t>(utf8proc_tolower(to_utf8proc(c)));
}

void decompose(char32_t c, bool compatible, std::vector<ChangedCharacter>& out) {
  constexpr int kMaxCharacters = 32;  // the longest decomposition has 18
  std::array<utf8proc_int32_t, kMaxCharacters> characters;
  int boundary = 0;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE |
                                                      (compatible ? UTF8PROC_COMPAT : 0));
  const auto count = utf8proc_decompose_char(to_utf8proc(c), characters.data(), kMaxCharacters,
                                             options, &boundary);
  if (count <= 0) {
    out.push_back({c, 0});
    return;
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    out.push_back({static_cast<char32_t>(characters[static_cast<size_t>(i)]), i == 0 ? 0 : 1});
  }
}

// Puts each run of combining characters into the canonical order.
void reorder(std::vector<ChangedCharacter>& text) {
  const auto class_of = [](const ChangedCharacter& x) { return combining_class(x.c); };
  for (auto begin = text.begin(); begin != text.end();) {
    if (class_of(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end = std::find_if(begin, text.end(), [&](const auto& x) { return !class_of(x); });
    std::stable_sort(begin, end,
                     [&](const auto& a, const auto& b) { return class_of(a) < class_of(b); });
    begin = end;
  }
}

// The character that both compose, or 0.
char32_t composed(char32_t a, char32_t b) {
  std::array<utf8proc_int32_t, 3> pair = {to_utf8proc(a), to_utf8proc(b), 0};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  return utf8proc_normalize_utf32(pair.data(), 2, options) == 1 ? static_cast<char32_t>(pair[0])
                                                                : 0;
}

std::vector<ChangedCharacter> compose(const std::vector<ChangedCharacter>& text) {
  std::vector<ChangedCharacter> out;
  out.reserve(text.size());
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t starter = kNone;  // in `out`
  int last_class = -1;     // of what follows the starter; -1: nothing does
  for (const ChangedCharacter& x : text) {
    const int its_class = combining_class(x.c);
    if (starter != kNone && last_class < its_class) {
      if (const char32_t both = composed(out[starter].c, x.c); both != 0) {
        out[starter] = {both, out[starter].change + x.change - 1};
        continue;
      }
    }
    if (its_class == 0) {
      starter = out.size();
      last_class = -1;
    } else {
      last_class = its_class;
    }
    out.push_back(x);
  }
  return out;
}

}  // namespace

std::vector<ChangedCharacter> normal_form(std::u32string_view text, NormalForm form) {
  const bool compatible = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
  std::vector<ChangedCharacter> out;
  out.reserve(text.size());
  for (const char32_t c : text) decompose(c, compatible, out);
  reorder(out);
  return form == NormalForm::kNfc || form == NormalForm::kNfkc ? compose(out) : out;
}

std::vector<ChangedCharacter> lower_case(std::u32string_view text) {
  std::vector<ChangedCharacter> out;
  out.reserve(text.size());
  for (const char32_t c : text) {
    if (c == kCapitalDottedI) {
      out.push_back({U'i', 0});
      out.push_back({kCombiningDot, 1});
    } else {
      out.push_back({lower_character(c), 0});
    }
  }
  return out;
}

bool continues_grapheme(char32_t before, char32_t c, int32_t& state) {
  return !utf8proc_grapheme_break_stateful(to_utf8proc(before), to_utf8proc(c), &state);
}

}  // namespace weft
