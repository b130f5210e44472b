// weft convert: converts between Weft's model files and models of other systems.
#include "weft/convert.h"

#include "apps/weft/command.h"
#include "apps/weft/flags/library_options.h"

namespace weft::app {
namespace {

struct ConvertOptions {
  LibraryOptions all{convert_schema()};

  template <class V>
  void fields(V& v) {
    all.fields(v);
  }
  void validate() const { all.validate(); }
};

}  // namespace

int run_convert(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ConvertOptions>(info, args);
  if (!options) return 0;
  print(convert(options->all.changed()));
  return 0;
}

}  // namespace weft::app
