#include "weft/decode/options.h"

#include "weft/core/error.h"
#include "weft/decode/search/length_penalty.h"
#include "weft/options/option_table.h"

namespace weft::decode {

void DecodeOptions::validate() const {
  options::check_scopes(*this);
  make_length_penalty(*this);
  if (min_length >= max_output_length) {
    fail<OptionError>("--min-length",
                      "expected less than --max-output-length, {} with the end symbol; got {}",
                      max_output_length, min_length);
  }
}

void check_model(const DecodeOptions& options, const models::GenerationKinds& generation) {
  constexpr std::string_view kOwner = "a model of ";
  const auto* parallel = generation.get_if<models::Parallel>();
  std::vector<options::Selected> selected = {{"generation", {generation.name()}, kOwner}};
  if (parallel != nullptr) {
    selected.push_back({"length-from", {parallel->length_from.name()}, kOwner});
  }
  options::check_scopes(options, selected);
}

}  // namespace weft::decode
