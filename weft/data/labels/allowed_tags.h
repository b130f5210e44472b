// Which tags may follow each other in a scheme such as BIO.
#ifndef WEFT_DATA_LABELS_ALLOWED_TAGS_H_
#define WEFT_DATA_LABELS_ALLOWED_TAGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/data/labels/tag_spans.h"

namespace weft::data {

// 1 where a label is allowed, 0 elsewhere. Label ids are indices into the list given.
struct AllowedTags {
  std::vector<uint8_t> transitions;  // [C * C], from * C + to
  std::vector<uint8_t> start, end;   // [C]
};

// In BIO I-X follows B-X or I-X only. In IOBES I-X and E-X follow B-X or I-X only, and B-X and I-X
// must be followed by one of these. Labels that are not tags of the scheme count as O.
AllowedTags allowed_tags(std::span<const std::string> labels, TagScheme scheme);

// Whether `next` may follow `last`. The start and the end of a sentence count as O.
bool may_follow(std::string_view last, std::string_view next, TagScheme scheme);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_ALLOWED_TAGS_H_
