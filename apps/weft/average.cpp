// weft average: the mean of the weights of several models.
#include "apps/weft/command.h"
#include "apps/weft/flags/library_options.h"
#include "weft/convert.h"

namespace weft::app {
namespace {

struct AverageOptions {
  LibraryOptions all{average_schema()};

  template <class V>
  void fields(V& v) {
    all.fields(v);
  }
  void validate() const { all.validate(); }
};

}  // namespace

int run_average(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<AverageOptions>(info, args);
  if (!options) return 0;
  average(options->all.changed());
  return 0;
}

}  // namespace weft::app
