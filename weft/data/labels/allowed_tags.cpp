#include "weft/data/labels/allowed_tags.h"

namespace weft::data {
namespace {

bool has_prefix(const Tag& tag, std::string_view letters) {
  return tag.prefix.size() == 1 && letters.find(tag.prefix) != letters.npos;
}

}  // namespace

bool may_follow(std::string_view last, std::string_view next, TagScheme scheme) {
  const bool is_iobes = scheme == TagScheme::kIobes;
  const Tag from = parse_tag(last), to = parse_tag(next);
  const bool is_inside = has_prefix(to, is_iobes ? "IE" : "I");
  const bool is_open = has_prefix(from, "BI");  // the span may continue
  if (is_inside) return is_open && from.type == to.type;
  return !(is_iobes && is_open);
}

AllowedTags allowed_tags(std::span<const std::string> labels, TagScheme scheme) {
  AllowedTags out;
  for (const std::string& from : labels) {
    out.start.push_back(may_follow(kOutsideTag, from, scheme) ? 1 : 0);
    out.end.push_back(may_follow(from, kOutsideTag, scheme) ? 1 : 0);
    for (const std::string& to : labels) {
      out.transitions.push_back(may_follow(from, to, scheme) ? 1 : 0);
    }
  }
  return out;
}

}  // namespace weft::data
