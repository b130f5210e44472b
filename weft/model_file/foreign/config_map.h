// How the configuration of another system's models maps to Weft's options, as data that serves
// import and export.
#ifndef WEFT_MODEL_FILE_FOREIGN_CONFIG_MAP_H_
#define WEFT_MODEL_FILE_FOREIGN_CONFIG_MAP_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/model_file/foreign/fields.h"
#include "weft/model_file/foreign/imported_contents.h"

namespace weft::model_file {

// A value's name there and here: {"swish", "silu"}.
using ValueName = std::pair<std::string_view, std::string_view>;

// A field and the option that it is. Several fields may be one option: they must then be equal.
struct FieldMapping {
  std::string_view field;
  std::string_view option;
  // JSON, the value of a file without the field; empty: it must be there.
  std::string_view missing = {};
  std::span<const ValueName> values = {};  // those supported; empty: the value is the same
  // A field of Weft's own, which other readers ignore: written only where it is not `missing`.
  bool is_own = false;
};

// A field or an option with the same value in every model of an architecture.
struct FixedValue {
  std::string_view name;
  std::string_view value;  // JSON
};

struct ConfigMap {
  std::span<const FixedValue> fixed_fields = {};  // may be missing in a file
  std::span<const FieldMapping> fields = {};
  std::span<const FixedValue> fixed_options = {};
  std::span<const std::string_view> harmless_fields = {};   // do not affect the outputs
  std::span<const std::string_view> harmless_options = {};  // likewise, or told by the tensors
};

// Sets the options that the fields say. Throws FormatError naming the field.
void read_fields(const ConfigMap& map, Fields& in, ImportedContents& out);

// The fields of a model with these options. Throws OptionError for a value that no field has.
Json fields_of(const ConfigMap& map, const Json& options);

// The options, by name, whose value in a model differs from that in the import of its own export:
// the architecture does not have them.
struct UnsupportedOption {
  std::string name;
  Json value, expected;
};
std::vector<UnsupportedOption> unsupported_options(const ConfigMap& map, const Json& options,
                                                   const Json& imported);
// The first of them.
std::optional<UnsupportedOption> unsupported_option(const ConfigMap& map, const Json& options,
                                                    const Json& imported);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_CONFIG_MAP_H_
