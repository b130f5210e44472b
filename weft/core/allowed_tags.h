// Which tags may follow each other in a scheme such as BIO.
#ifndef WEFT_CORE_ALLOWED_TAGS_H_
#define WEFT_CORE_ALLOWED_TAGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/core/tag_spans.h"

namespace weft {

// 1 where a label may stand, 0 where not; labels are numbered as in the list they come from.
struct AllowedTags {
  std::vector<uint8_t> transitions;  // [C * C], from * C + to
  std::vector<uint8_t> start, end;   // [C]
};

// In BIO I-X follows B-X or I-X only. In IOBES I-X and E-X follow B-X or I-X only, and nothing else
// follows these. Labels that are no tags of the scheme count as O.
AllowedTags allowed_tags(std::span<const std::string> labels, TagScheme scheme);

// Whether `next` may follow `last`; a sentence begins after and ends before an O.
bool may_follow(std::string_view last, std::string_view next, TagScheme scheme);

}  // namespace weft

#endif  // WEFT_CORE_ALLOWED_TAGS_H_
