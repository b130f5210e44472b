#include "weft/models/tagger_options.h"

#include "weft/options/option_table.h"

namespace weft::models {

void TaggerOptions::check() const {
  options::check_scopes(*this);
  characters.check();
  encoder.check();
}

}  // namespace weft::models
