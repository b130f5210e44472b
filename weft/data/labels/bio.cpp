#include "weft/data/labels/bio.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/labels/allowed_tags.h"

namespace weft::data {
namespace {

bool has_type(std::string_view label, TagScheme scheme) {
  const std::string_view letters = scheme == TagScheme::kBio ? "BI" : "BIES";
  return label.size() > 2 && label[1] == '-' && letters.find(label[0]) != letters.npos;
}

}  // namespace

InvalidTags invalid_tags_named(std::string_view name) {
  if (name == "repair") return InvalidTags::kRepair;
  if (name == "refuse") return InvalidTags::kRefuse;
  if (name == "keep") return InvalidTags::kKeep;
  fail<OptionError>("invalid tags", "expected repair, refuse or keep, got {}", quote(name));
}

bool is_scheme(std::span<const std::string> labels, TagScheme scheme) {
  const auto is_tag = [&](const std::string& label) {
    return label == kOutsideTag || has_type(label, scheme);
  };
  const auto is_typed = [&](const std::string& label) { return has_type(label, scheme); };
  return std::ranges::all_of(labels, is_tag) && std::ranges::any_of(labels, is_typed);
}

bool mark_spans(std::span<const std::string> labels) {
  return is_scheme(labels, TagScheme::kBio) || is_scheme(labels, TagScheme::kIobes);
}

int64_t fix_bio(std::vector<std::string>& tags, InvalidTags params, const WhereOfWord& where) {
  if (params == InvalidTags::kKeep) return 0;
  int64_t repaired = 0;
  for (size_t i = 0; i < tags.size(); ++i) {
    const std::string_view last = i == 0 ? kOutsideTag : std::string_view(tags[i - 1]);
    if (may_follow(last, tags[i], TagScheme::kBio)) continue;
    if (params == InvalidTags::kRefuse) {
      const std::string type(parse_tag(tags[i]).type);
      fail<FormatError>(where(static_cast<int64_t>(i)),
                        "{} follows {}; expected B-{} or I-{} before it", quote(tags[i]),
                        i == 0 ? "nothing" : quote(last), type, type);
    }
    tags[i][0] = 'B';
    ++repaired;
  }
  return repaired;
}

std::vector<std::string> to_scheme(std::span<const std::string> tags, TagScheme scheme) {
  const std::vector<std::string_view> views(tags.begin(), tags.end());
  return tags_of(tag_spans(views), std::ssize(tags), scheme);
}

}  // namespace weft::data
