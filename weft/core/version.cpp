#include "weft/settings.h"

namespace weft {

std::string_view version() { return WEFT_VERSION; }

}  // namespace weft
