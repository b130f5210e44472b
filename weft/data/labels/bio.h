// Tags of training text that are not well-formed BIO: repaired or refused.
#ifndef WEFT_DATA_LABELS_BIO_H_
#define WEFT_DATA_LABELS_BIO_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/tag_spans.h"

namespace weft::data {

// What becomes of an I-X that follows neither B-X nor I-X.
enum class InvalidTags {
  kRepair,  // it becomes B-X, as the evaluation counts it
  kRefuse,
  kKeep,
};
// "repair", "refuse" or "keep"; throws OptionError for another name.
InvalidTags invalid_tags_named(std::string_view name);

// Whether labels are tags of a scheme: each O, or a letter of the scheme, a hyphen and a type; at
// least one of them with a type.
bool is_scheme(std::span<const std::string> labels, TagScheme scheme);
// Whether they are tags of any scheme.
bool mark_spans(std::span<const std::string> labels);

// Where a word stands, "file:line", for messages.
using WhereOfWord = std::function<std::string(int64_t word)>;

// Goes over the BIO tags of one sentence; returns how many it repaired. Throws FormatError, naming
// the first word, where such a tag is refused.
int64_t fix_bio(std::vector<std::string>& tags, InvalidTags params, const WhereOfWord& where);

// The tags that mark the same spans in the other scheme, invalid tags repaired.
std::vector<std::string> to_scheme(std::span<const std::string> tags, TagScheme scheme);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_BIO_H_
