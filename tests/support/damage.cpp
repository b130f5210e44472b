#include "tests/support/damage.h"

#include <iterator>
#include <string>
#include <vector>

namespace weft::test {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<Json>& replacements() {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           false,
                                           -1,
                                           0,
                                           1,
                                           2,
                                           7,
                                           0.5,
                                           -0.25,
                                           1e300,
                                           int64_t{1} << 31,
                                           int64_t{1} << 40,
                                           INT64_MAX,
                                           INT64_MIN,
                                           UINT64_MAX,
                                           "",
                                           "x",
                                           "BPE",
                                           "<unk>",
                                           "[MASK]",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({0, 1}),
                                           Json::array({"a", "b"}),
                                           Json::array({nullptr}),
                                           Json::array({int64_t{1} << 32, int64_t{1} << 32}),
                                           std::string(300, 'a')};
  return values;
}

}  // namespace

void damage(Json& json, Numbers& numbers) {
  Json* at = &json;
  Json* parent = nullptr;
  Json::iterator child;
  while (at->is_structured() && !at->empty() && (parent == nullptr || numbers.below(4) != 0)) {
    parent = at;
    child = std::next(at->begin(), static_cast<int64_t>(numbers.below(at->size())));
    at = &*child;
  }
  if (parent != nullptr && numbers.below(8) == 0) {
    parent->erase(child);
  } else {
    *at = replacements()[numbers.below(replacements().size())];
  }
}

}  // namespace weft::test
