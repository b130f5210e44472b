#include "weft/models/classifier_options.h"

#include "weft/formats/options_table.h"

namespace weft::models {

void ClassifierOptions::check() const {
  formats::check_scopes(*this);
  encoder.check();
}

}  // namespace weft::models
