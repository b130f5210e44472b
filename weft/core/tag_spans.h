// The spans of words that tags mark: BIO (Ramshaw and Marcus 1995, "Text Chunking using
// Transformation-Based Learning"), also called IOB2, and IOBES, also called BILOU.
#ifndef WEFT_CORE_TAG_SPANS_H_
#define WEFT_CORE_TAG_SPANS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// B begins a span, I goes on with it, O is outside of all; in IOBES E ends a span of several words
// and S is one of a single word.
enum class TagScheme { kBio, kIobes };

// "B-LOC" is {"B", "LOC"}: the first character, and what follows the first hyphen after it, or all
// that follows where there is no hyphen. An empty type is "_".
struct Tag {
  std::string_view prefix, type;
};
Tag parse_tag(std::string_view tag);

// Words begin to end - 1.
struct TagSpan {
  int64_t begin = 0, end = 0;
  std::string_view type;  // part of a tag

  auto operator<=>(const TagSpan&) const = default;
};

// The spans of one sentence in order, as conlleval (Tjong Kim Sang and Buchholz 2000) and seqeval's
// default mode find them in any tags: a span also begins with I-X after O or another type.
std::vector<TagSpan> tag_spans(std::span<const std::string_view> tags);

// Only spans that are well-formed, as seqeval's strict mode: in BIO a B-X with the I-X after it,
// in IOBES an S-X, or a B-X with I-X up to an E-X. Throws FormatError for a tag that does not begin
// with a letter of the scheme.
std::vector<TagSpan> strict_tag_spans(std::span<const std::string_view> tags, TagScheme scheme);

// The tags of `words` words that mark these spans, which must not overlap.
std::vector<std::string> tags_of(std::span<const TagSpan> spans, int64_t words, TagScheme scheme);

}  // namespace weft

#endif  // WEFT_CORE_TAG_SPANS_H_
