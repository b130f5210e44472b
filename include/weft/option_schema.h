// The options that a class or function takes, as `weft COMMAND --help` lists them.
#ifndef WEFT_OPTION_SCHEMA_H_
#define WEFT_OPTION_SCHEMA_H_

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/options.h"

namespace weft {

struct OptionInfo {
  enum class Type {
    kBool,
    kInteger,
    kNumber,
    kText,
    kPeriod,  // updates (u), target tokens (t) or epochs (e): "10e"
  };
  std::string name;   // "beam-size"
  std::string help;   // what it does
  std::string group;  // the heading in --help
  Type type = Type::kText;
  bool is_list = false;               // any number of values of the type
  bool may_be_auto = false;           // or "auto": the library chooses
  std::vector<std::string> defaults;  // one, or of a list any number, as on the command line
  double min = -std::numeric_limits<double>::infinity();  // of numbers, inclusive
  double max = std::numeric_limits<double>::infinity();
  std::string choices;  // of texts: "soft|hard"; empty: any
  std::string implied;  // value of the option if given without one; empty: a value is required
  std::string alias;    // another name
  char letter = 0;      // short form: 'b' for -b
  bool required = false, positional = false;
  bool reads = false, writes = false;  // it is the path of a file that is read, or written
  bool replaces_file = false;  // it is the path of a file that is read and may then be replaced
};

class WEFT_API OptionSchema {
 public:
  // Throws what is wrong with options, without loading a model.
  using CheckGiven = void (*)(const Options& given);

  OptionSchema(std::vector<OptionInfo> infos, CheckGiven check_given)
      : infos_(std::move(infos)), check_given_(check_given) {}

  std::span<const OptionInfo> infos() const { return infos_; }
  // Throws OptionError and FileError as the owner of the options does, before any model is loaded.
  void check(const Options& given) const { check_given_(given); }

 private:
  std::vector<OptionInfo> infos_;
  CheckGiven check_given_;
};

}  // namespace weft

#endif  // WEFT_OPTION_SCHEMA_H_
