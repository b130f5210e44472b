// Hints for users of Transformers, Lightning, fairseq, OpenNMT and scikit-learn.
#ifndef APPS_WEFT_FLAGS_OTHER_FLAGS_H_
#define APPS_WEFT_FLAGS_OTHER_FLAGS_H_

#include <functional>
#include <span>
#include <string_view>

namespace weft::app {

// Names for one thing, with `-` between words, and what to give instead.
struct OtherFlags {
  std::string_view names;  // between spaces
  std::string_view hint;
};

// Of weft train, of the commands that use a model, and of both.
std::span<const OtherFlags> training_flags();
std::span<const OtherFlags> prediction_flags();
std::span<const OtherFlags> general_flags();

// Whether the command has all options that the hint names.
using HasOption = std::function<bool(std::string_view name)>;
bool names_only_options(std::string_view hint, const HasOption& has_option);

// The first hint for a name, with `-` or `_`, that names only options of the command, or "".
std::string_view other_hint(std::string_view command, std::string_view name,
                            const HasOption& has_option);

// The hint for a value of an option, with `-` or `_`, that another system has, or "".
std::string_view other_value_hint(std::string_view option, std::string_view value);

}  // namespace weft::app

#endif  // APPS_WEFT_FLAGS_OTHER_FLAGS_H_
