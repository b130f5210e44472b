#include "weft/data/labels/tag_spans.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr std::string_view kNoType = "_";

bool is_one_of(std::string_view prefix, std::string_view letters) {
  return prefix.size() == 1 && letters.find(prefix) != letters.npos;
}

// Whether the span that `last` is part of ends before `next`.
bool ends(const Tag& last, const Tag& next) {
  if (is_one_of(last.prefix, "ES")) return true;
  if (is_one_of(last.prefix, "BI") && is_one_of(next.prefix, "BSO")) return true;
  return !is_one_of(last.prefix, "O.") && last.type != next.type;
}

// Whether a span begins with `next`.
bool begins(const Tag& last, const Tag& next) {
  if (is_one_of(next.prefix, "BS")) return true;
  if (is_one_of(last.prefix, "ESO") && is_one_of(next.prefix, "EI")) return true;
  return !is_one_of(next.prefix, "O.") && last.type != next.type;
}

// Whether `next` continues the span that `last` is part of.
bool continues(const Tag& last, const Tag& next, TagScheme scheme) {
  return is_one_of(last.prefix, "BI") && last.type == next.type &&
         is_one_of(next.prefix, scheme == TagScheme::kBio ? "I" : "IE");
}

Tag parse_strictly(std::string_view tag, TagScheme scheme) {
  const Tag out = parse_tag(tag);
  const std::string_view letters = scheme == TagScheme::kBio ? "BIO" : "BIOES";
  if (!is_one_of(out.prefix, letters)) {
    fail<FormatError>("tags", "expected tags that begin with one of {}, got {}", letters,
                      quote(tag));
  }
  return out;
}

}  // namespace

Tag parse_tag(std::string_view tag) {
  const size_t length = std::min(tag.size(), std::max<size_t>(1, utf8_length(tag)));
  std::string_view type = tag.substr(length);
  if (const size_t hyphen = type.find('-'); hyphen != type.npos) type.remove_prefix(hyphen + 1);
  return {tag.substr(0, length), type.empty() ? kNoType : type};
}

std::vector<TagSpan> tag_spans(std::span<const std::string_view> tags) {
  std::vector<TagSpan> out;
  Tag last{kOutsideTag, ""};
  int64_t begin = 0;
  for (int64_t word = 0; word <= std::ssize(tags); ++word) {
    const Tag next = word == std::ssize(tags) ? Tag{kOutsideTag, kNoType} : parse_tag(tags[word]);
    if (ends(last, next)) out.push_back({begin, word, last.type});
    if (begins(last, next)) begin = word;
    last = next;
  }
  return out;
}

std::vector<TagSpan> strict_tag_spans(std::span<const std::string_view> tags, TagScheme scheme) {
  std::vector<TagSpan> out;
  std::vector<Tag> parsed;
  for (const std::string_view tag : tags) parsed.push_back(parse_strictly(tag, scheme));
  for (int64_t begin = 0; begin < std::ssize(parsed);) {
    int64_t end = begin + 1;
    if (is_one_of(parsed[begin].prefix, "BS")) {
      while (end < std::ssize(parsed) && continues(parsed[end - 1], parsed[end], scheme)) ++end;
      const bool is_whole = scheme == TagScheme::kBio || is_one_of(parsed[end - 1].prefix, "ES");
      if (is_whole) out.push_back({begin, end, parsed[begin].type});
    }
    begin = end;
  }
  return out;
}

std::vector<std::string> tags_of(std::span<const TagSpan> spans, int64_t words, TagScheme scheme) {
  std::vector<std::string> out(static_cast<size_t>(words), std::string(kOutsideTag));
  for (const TagSpan& span : spans) {
    for (int64_t word = span.begin; word < span.end; ++word) {
      const bool is_first = word == span.begin, is_last = word + 1 == span.end;
      char prefix = is_first ? 'B' : 'I';
      if (scheme == TagScheme::kIobes && is_last) prefix = is_first ? 'S' : 'E';
      out[word] = fmt::format("{}-{}", prefix, span.type);
    }
  }
  return out;
}

}  // namespace weft::data
