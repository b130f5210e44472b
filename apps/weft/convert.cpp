// weft convert: converts between Weft's model files and models of other systems.
#include "apps/weft/command.h"
#include "weft/api/convert/convert_options.h"

namespace weft::app {

int run_convert(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<api::ConvertOptions>(info, args);
  if (!options) return 0;
  print(api::convert(*options));
  return 0;
}

}  // namespace weft::app
