#include "weft/data/jinja/text_functions.h"

#include <algorithm>

#include "weft/core/text/unicode.h"
#include "weft/data/jinja/characters.h"

namespace weft::data::jinja {
namespace {

std::u32string code_points(std::string_view text) {
  std::u32string out;
  char32_t c = 0;
  for (size_t i = 0; i < text.size(); i += decode_character(text.substr(i), c)) {
    decode_character(text.substr(i), c);
    out.push_back(c);
  }
  return out;
}

std::string utf8_of(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append_utf8(c, out);
  return out;
}

// Whether a character is in the set, or white space without one.
class StrippedCharacters {
 public:
  explicit StrippedCharacters(const std::optional<std::string>& set) : has_set_(set.has_value()) {
    if (set) set_ = code_points(*set);
  }
  bool operator()(char32_t c) const {
    return has_set_ ? set_.find(c) != set_.npos : is_python_space(c);
  }

 private:
  bool has_set_;
  std::u32string set_;
};

// Ranges of bytes, whose memory is counted.
class Ranges {
 public:
  explicit Ranges(Runtime& runtime) : runtime_(runtime) {}

  void add(size_t begin, size_t end) {
    runtime_.use_bytes(sizeof(all_[0]));
    all_.emplace_back(begin, end);
  }
  int64_t size() const { return std::ssize(all_); }
  std::vector<std::pair<size_t, size_t>> take() { return std::move(all_); }

 private:
  Runtime& runtime_;
  std::vector<std::pair<size_t, size_t>> all_;
};

// Words between white space; the last one reaches the end where there are enough splits.
void add_words(std::string_view text, int64_t most, Ranges& out) {
  char32_t c = 0;
  size_t i = 0;
  const auto skip = [&](bool spaces) {
    while (i < text.size()) {
      const size_t size = decode_character(text.substr(i), c);
      if (is_python_space(c) != spaces) break;
      i += size;
    }
  };
  for (skip(true); i < text.size(); skip(true)) {
    const size_t begin = i;
    if (most >= 0 && out.size() == most) return out.add(begin, text.size());
    skip(false);
    out.add(begin, i);
  }
}

void add_parts(std::string_view text, std::string_view separator, int64_t most, Ranges& out) {
  size_t begin = 0;
  for (size_t end;
       (most < 0 || out.size() < most) && (end = text.find(separator, begin)) != text.npos;
       begin = end + separator.size()) {
    out.add(begin, end);
  }
  out.add(begin, text.size());
}

// The last part first.
void add_parts_from_right(std::string_view text, std::string_view separator, int64_t most,
                          Ranges& out) {
  size_t end = text.size();
  while (most < 0 || out.size() < most) {
    const size_t begin =
        end < separator.size() ? text.npos : text.rfind(separator, end - separator.size());
    if (begin == text.npos) break;
    out.add(begin + separator.size(), end);
    end = begin;
  }
  out.add(0, end);
}

// Every character in lower case, save the first of each word, or of the text.
std::u32string capitalised(std::u32string_view text, bool each_word) {
  std::u32string out;
  bool begins = true;
  constexpr std::u32string_view kBefore = U"-([{<";  // and white space
  for (const char32_t c : text) {
    const bool splits = each_word && (is_python_space(c) || kBefore.find(c) != kBefore.npos);
    out += begins && !splits ? to_upper({&c, 1}) : to_lower({&c, 1});
    begins = splits;
  }
  return out;
}

bool is_line_break(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

}  // namespace

MarkedText stripped(const MarkedText& text, const std::optional<std::string>& set, Side side,
                    Runtime& runtime) {
  runtime.use_bytes(text.size());
  runtime.use_scan(text.size() * (set ? set->size() : 1));
  const StrippedCharacters is_stripped(set);
  std::string_view rest = text.text();
  char32_t c = 0;
  size_t begin = 0;
  while (side != Side::kRight && begin < rest.size()) {
    const size_t size = decode_character(rest.substr(begin), c);
    if (!is_stripped(c)) break;
    begin += size;
  }
  while (side != Side::kLeft && rest.size() > begin) {
    const size_t last = last_character(rest);
    decode_character(rest.substr(last), c);
    if (!is_stripped(c)) break;
    rest = rest.substr(0, last);
  }
  return text.part(begin, rest.size());
}

std::vector<Value> split_text(const String& text, const SplitOptions& options, Runtime& runtime) {
  const std::string_view all = text.text.text();
  runtime.use_bytes(all.size());
  Ranges ranges(runtime);
  if (!options.separator) {
    if (options.from_right && options.most >= 0) refuse("rsplit by white space is not supported");
    add_words(all, options.most, ranges);
  } else {
    const std::string& separator = *options.separator;
    if (separator.empty()) refuse("an empty separator");
    runtime.use_search(all.size(), separator.size());
    options.from_right ? add_parts_from_right(all, separator, options.most, ranges)
                       : add_parts(all, separator, options.most, ranges);
  }
  std::vector<Value> out;
  for (const auto& [begin, end] : ranges.take()) {
    out.push_back(runtime.text(text.text.part(begin, end), text.is_markup));
  }
  if (options.separator && options.from_right) std::ranges::reverse(out);
  return out;
}

std::vector<MarkedText> lines_of(const MarkedText& text, Runtime& runtime) {
  const std::string_view all = text.text();
  std::vector<MarkedText> out;
  char32_t c = 0;
  size_t begin = 0;
  for (size_t i = 0, size; i < all.size(); i += size) {
    size = decode_character(all.substr(i), c);
    if (!is_line_break(c)) continue;
    runtime.use_bytes(i - begin + sizeof(MarkedText));
    out.push_back(text.part(begin, i));
    if (all.substr(i).starts_with("\r\n")) size = 2;
    begin = i + size;
  }
  if (begin < all.size()) out.push_back(text.part(begin, all.size()));
  return out;
}

MarkedText replaced(const MarkedText& text, const std::string& before, const MarkedText& after,
                    int64_t count, Runtime& runtime) {
  TextBuilder out(runtime);
  const std::string_view all = text.text();
  size_t begin = 0;
  if (before.empty()) {
    for_each_character(text, [&](size_t from, size_t to) {
      if (count-- != 0) out.append(after);
      count = std::max<int64_t>(count, -1);
      out.append(text, from, to);
    });
    if (count != 0) out.append(after);
    return out.take();
  }
  runtime.use_search(all.size(), before.size());
  for (size_t end; count != 0 && (end = all.find(before, begin)) != all.npos;
       begin = end + before.size()) {
    out.append(text, begin, end);
    out.append(after);
    if (count > 0) --count;
  }
  out.append(text, begin, all.size());
  return out.take();
}

MarkedText joined(const std::vector<MarkedText>& parts, const MarkedText& between,
                  Runtime& runtime) {
  TextBuilder out(runtime);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out.append(between);
    out.append(parts[i]);
  }
  return out.take();
}

MarkedText in_case(const MarkedText& text, Case kind, Runtime& runtime) {
  runtime.use_bytes(text.size() * sizeof(char32_t));
  if (kind == Case::kCapitalised || kind == Case::kTitle) {
    const std::string changed =
        utf8_of(capitalised(code_points(text.text()), kind == Case::kTitle));
    runtime.use_bytes(changed.size());
    const Source source = text.typed().empty() ? Source::kTemplate : Source::kUser;
    return MarkedText(changed, source);
  }
  TextBuilder out(runtime);
  text.for_each_run([&](std::string_view run, Source source) {
    const std::u32string characters = code_points(run);
    out.append(utf8_of(kind == Case::kLower ? to_lower(characters) : to_upper(characters)), source);
  });
  return out.take();
}

MarkedText html_escaped(const MarkedText& text, Runtime& runtime) {
  TextBuilder out(runtime);
  text.for_each_run([&](std::string_view run, Source source) {
    for (const char c : run) {
      switch (c) {
        case '&': out.append("&amp;", source); break;
        case '<': out.append("&lt;", source); break;
        case '>': out.append("&gt;", source); break;
        case '\'': out.append("&#39;", source); break;
        case '"': out.append("&#34;", source); break;
        default: out.append({&c, 1}, source);
      }
    }
  });
  return out.take();
}

MarkedText padded(const MarkedText& text, int64_t width, Side spaces, Runtime& runtime) {
  const int64_t missing = width - character_count(text.text());
  TextBuilder out(runtime);
  const int64_t before = spaces == Side::kLeft    ? missing
                         : spaces == Side::kRight ? 0
                                                  : missing / 2 + (missing & width & 1);
  if (before > 0) out.fill(static_cast<size_t>(before), " ");
  out.append(text);
  if (missing > before) out.fill(static_cast<size_t>(missing - before), " ");
  return out.take();
}

}  // namespace weft::data::jinja
