#include "weft/options/one_of.h"

#include <fmt/format.h>

#include <vector>

#include "weft/core/error.h"
#include "weft/core/text/nearest.h"

namespace weft::options {

bool Selection::select(std::string_view name) {
  for (size_t i = 0; i < kinds_.size(); ++i) {
    const KindInfo& kind = kinds_[i];
    if (kind.name != name && (kind.former_name.empty() || kind.former_name != name)) continue;
    index_ = i;
    return true;
  }
  return false;
}

std::string joined_names(std::span<const KindInfo> kinds) {
  std::string out;
  for (const KindInfo& kind : kinds) {
    if (kind.name.empty()) continue;
    if (!out.empty()) out += '|';
    out += kind.name;
  }
  return out;
}

void fail_unknown_kind(std::span<const KindInfo> kinds, std::string_view name) {
  std::vector<std::string> names;
  for (const KindInfo& kind : kinds) names.emplace_back(kind.name);
  fail<OptionError>("choice", "unknown kind {}; expected one of {}{}", quote(name),
                    fmt::format("{}", fmt::join(names, ", ")), nearest_hint(name, names));
}

}  // namespace weft::options
