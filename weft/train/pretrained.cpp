#include "weft/train/pretrained.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace weft::train {
namespace {

// "a, b, c and 4 more"
std::string list_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const size_t shown = std::min(names.size(), kShown);
  std::string out = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > kShown) out += fmt::format(" and {} more", names.size() - kShown);
  return out;
}

}  // namespace

std::string Pretrained::text(const std::string& path) const {
  std::string out =
      fmt::format("{} of {} parameters from {}", taken.size(), taken.size() + missing.size(), path);
  if (!missing.empty()) out += "; not found there in this shape: " + list_of(missing);
  if (!unused.empty()) out += "; not used: " + list_of(unused);
  return out;
}

Pretrained take_pretrained(const std::string& path, infer::Session& session) {
  infer::Session other = infer::load_model(path);
  if (!std::isfinite(backend_of(other.parameters).sum_of_squares(other.parameters))) {
    fail<NumericError>(path, "has weights that are not finite numbers");
  }
  std::map<std::string, const nn::Parameter*> theirs;
  for (const auto& [name, p] : nn::parameters_of(other.model)) theirs[name] = p;
  Pretrained out;
  for (const auto& [name, p] : nn::parameters_of(session.model)) {
    const auto found = theirs.find(name);
    if (found == theirs.end() || found->second->shape != p->shape) {
      out.missing.push_back(name);
      continue;
    }
    backend_of(p->value).copy(found->second->value, p->value);
    out.taken.push_back(name);
    theirs.erase(found);
  }
  if (out.taken.empty()) {
    fail<FormatError>(path,
                      "no parameter of the model is there in its shape; expected a model of "
                      "the same kind and sizes, in part at least");
  }
  for (const auto& [name, p] : theirs) out.unused.push_back(name);
  out.has_vocabularies =
      is_same(session.source(), other.source()) && is_same(session.target(), other.target());
  return out;
}

}  // namespace weft::train
