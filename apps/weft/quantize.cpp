// weft quantize: a smaller model file for inference.
#include "apps/weft/command.h"
#include "apps/weft/flags/library_options.h"
#include "weft/convert.h"

namespace weft::app {
namespace {

struct QuantizeOptions {
  LibraryOptions all{quantize_schema()};

  template <class V>
  void fields(V& v) {
    all.fields(v);
  }
  void validate() const { all.validate(); }
};

}  // namespace

int run_quantize(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<QuantizeOptions>(info, args);
  if (!options) return 0;
  quantize(options->all.changed());
  return 0;
}

}  // namespace weft::app
