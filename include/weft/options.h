// Options by their names on the command line, which `weft COMMAND --help` and docs/ explain:
//   weft::Options{{"beam-size", 4}, {"normalize", 0.6}, {"n-best", true}, {"stop", {"\n"}}}
#ifndef WEFT_OPTIONS_H_
#define WEFT_OPTIONS_H_

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/export.h"

namespace weft {

// A number, a string, true or false, or a list of numbers or of strings.
class WEFT_API OptionValue {
 public:
  OptionValue(bool value) : texts_{value ? "true" : "false"} {}
  template <std::integral T>
  OptionValue(T value) : texts_{std::to_string(value)} {}
  OptionValue(double value);  // as text that reads back as the same number
  OptionValue(std::string value) : texts_{std::move(value)} {}
  OptionValue(std::string_view value) : texts_{std::string(value)} {}
  OptionValue(const char* value) : texts_{value} {}
  OptionValue(char value) : texts_{std::string(1, value)} {}
  OptionValue(std::nullptr_t) = delete;
  template <class T>
  OptionValue(const std::vector<T>& values) : is_list_(true) {
    for (const T& value : values) add(value);
  }
  template <class T>
  OptionValue(std::initializer_list<T> values) : is_list_(true) {
    for (const T& value : values) add(value);
  }

  const std::vector<std::string>& texts() const { return texts_; }  // as on the command line
  bool is_list() const { return is_list_; }

 private:
  void add(const OptionValue& value) {
    texts_.insert(texts_.end(), value.texts_.begin(), value.texts_.end());
  }

  std::vector<std::string> texts_;
  bool is_list_ = false;
};

struct Option {
  std::string name;  // "beam-size", or "beam_size"
  OptionValue value;
};

// Functions that take options throw OptionError, naming the option, for an unknown name, a value of
// the wrong type or out of range, and options that contradict each other; FileError for a file that
// cannot be read.
using Options = std::vector<Option>;

class OptionSchema;  // weft/option_schema.h: which options are taken

}  // namespace weft

#endif  // WEFT_OPTIONS_H_
