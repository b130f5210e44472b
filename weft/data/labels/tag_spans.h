// Spans of words encoded as tags: BIO (Ramshaw and Marcus 1995, "Text Chunking using
// Transformation-Based Learning"), also called IOB2, and IOBES, also called BILOU.
#ifndef WEFT_DATA_LABELS_TAG_SPANS_H_
#define WEFT_DATA_LABELS_TAG_SPANS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

// B begins a span, I continues it, O is outside all spans. In IOBES E ends a span of several words
// and S is a span of one word.
enum class TagScheme { kBio, kIobes };
inline constexpr std::string_view kOutsideTag = "O";

// "B-LOC" is {"B", "LOC"}: the prefix is the first character, the type is the rest after the first
// hyphen, or the whole rest if there is no hyphen. An empty type is "_".
struct Tag {
  std::string_view prefix, type;
};
Tag parse_tag(std::string_view tag);

// Words begin to end - 1.
struct TagSpan {
  int64_t begin = 0, end = 0;
  std::string_view type;  // points into a tag

  auto operator<=>(const TagSpan&) const = default;
};

// The spans of one sentence in order, as conlleval (Tjong Kim Sang and Buchholz 2000) and seqeval's
// default mode find them in arbitrary tags: I-X after O or another type also begins a span.
std::vector<TagSpan> tag_spans(std::span<const std::string_view> tags);

// Only the well-formed spans, as in seqeval's strict mode: in BIO a B-X followed by I-X tags; in
// IOBES an S-X, or a B-X followed by I-X tags and an E-X. Throws FormatError for a tag without a
// prefix of the scheme.
std::vector<TagSpan> strict_tag_spans(std::span<const std::string_view> tags, TagScheme scheme);

// The tags that encode these spans in a sentence of `words` words. The spans must not overlap.
std::vector<std::string> tags_of(std::span<const TagSpan> spans, int64_t words, TagScheme scheme);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_TAG_SPANS_H_
