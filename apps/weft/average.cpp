// weft average: the mean of the weights of several models.
#include "apps/weft/command.h"
#include "weft/api/convert/average_options.h"

namespace weft::app {

int run_average(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<api::AverageOptions>(info, args);
  if (!options) return 0;
  api::average(*options);
  return 0;
}

}  // namespace weft::app
