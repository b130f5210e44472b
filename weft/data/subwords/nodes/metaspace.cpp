#include "weft/data/subwords/nodes/metaspace.h"

#include "weft/core/text/utf8.h"

namespace weft::data {

Metaspace read_metaspace(JsonNode& node) {
  Metaspace out;
  append_utf8(node.character("replacement"), out.replacement);
  node.ignore("str_rep");  // the same, in files of former versions
  const std::string scheme = node.text("prepend_scheme", "always");
  if (scheme == "first") {
    out.prepend = Prepend::kFirst;
  } else if (scheme == "never") {
    out.prepend = Prepend::kNever;
  } else if (scheme != "always") {
    node.refuse("prepend_scheme {} is not supported", quote(scheme));
  }
  if (!node.flag("add_prefix_space", true)) {  // of former versions
    if (node.has("prepend_scheme") && out.prepend != Prepend::kNever) {
      node.refuse("add_prefix_space is false, but prepend_scheme is {}", quote(scheme));
    }
    out.prepend = Prepend::kNever;
  }
  out.split = node.flag("split", true);
  return out;
}

}  // namespace weft::data
