#include "weft/models/tagger_options.h"

#include "weft/formats/options_table.h"

namespace weft::models {

void TaggerOptions::check() const {
  formats::check_scopes(*this);
  characters.check();
  encoder.check();
}

}  // namespace weft::models
