// The config.json of a Marian model in Hugging Face's format, converted to and from options.
#ifndef WEFT_MODEL_FILE_MARIAN_CONFIG_H_
#define WEFT_MODEL_FILE_MARIAN_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>

#include "weft/models/seq2seq/seq2seq.h"

namespace weft::model_file {

// The content of config.json.
struct MarianConfig {
  models::Seq2SeqOptions options;
  models::Seq2SeqSizes sizes;
  double length_penalty = 1;  // exponent of the length that divides scores in decoding
};

// Throws FormatError, naming `where` and the field, for a field that is missing, of the wrong type
// or unknown, or whose value the model does not support.
MarianConfig parse_marian_config(std::string_view json, std::string_view where);

// The length_penalty of a generation_config.json, which overrides that of config.json; nullopt if
// there is none. Throws FormatError, naming `where`, for anything but a JSON object and for a value
// out of range.
std::optional<double> length_penalty_in(std::string_view json, std::string_view where);

// Throws OptionError, naming the option, for options that Marian models do not support.
std::string marian_config_text(const MarianConfig& config);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MARIAN_CONFIG_H_
