#include "weft/inspect/options.h"

#include <algorithm>

#include "weft/options/option_table.h"

namespace weft::inspect {

void check_read(const InspectionOptions& options, const std::vector<std::string_view>& read,
                const char* when) {
  options::check_unread(
      options, [&](std::string_view name) { return std::ranges::find(read, name) != read.end(); },
      when);
}

}  // namespace weft::inspect
