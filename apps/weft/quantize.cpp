// weft quantize: a smaller model file for inference.
#include "apps/weft/command.h"
#include "weft/api/convert/quantize_options.h"

namespace weft::app {

int run_quantize(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<api::QuantizeOptions>(info, args);
  if (!options) return 0;
  api::quantize(*options);
  return 0;
}

}  // namespace weft::app
