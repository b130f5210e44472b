// config.json of a Marian model in Hugging Face's layout, and the options it stands for.
#ifndef WEFT_MODEL_FILE_MARIAN_CONFIG_H_
#define WEFT_MODEL_FILE_MARIAN_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>

#include "weft/models/seq2seq.h"

namespace weft::model_file {

// What config.json says of a model.
struct MarianConfig {
  models::Seq2SeqOptions options;
  models::Seq2SeqSizes sizes;
  double length_penalty = 1;  // power of the length that scores are divided by in decoding
};

// Throws FormatError, naming `where` and the field: one that is missing, of the wrong type,
// unknown, or has a value that Weft's model has no form for.
MarianConfig parse_marian_config(std::string_view json, std::string_view where);

// The length_penalty of a generation_config.json, which goes before that of config.json, or none.
// Throws FormatError, naming `where`, for what is no JSON object and for a value out of range.
std::optional<double> length_penalty_in(std::string_view json, std::string_view where);

// Throws OptionError naming the option that Marian models do not have.
std::string marian_config_text(const MarianConfig& config);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MARIAN_CONFIG_H_
