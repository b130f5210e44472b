#include "weft/decode/search/sampling/xtc.h"

#include "weft/options/option_table.h"

namespace weft::decode {

void Xtc::validate() const {
  if (is_on()) return;
  options::check_unread(
      *this, [](std::string_view) { return false; }, "without --xtc-probability");
}

}  // namespace weft::decode
