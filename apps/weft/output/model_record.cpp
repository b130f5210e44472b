#include "apps/weft/output/model_record.h"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "apps/weft/logging.h"
#include "weft/core/error.h"
#include "weft/core/files/checksum.h"
#include "weft/data/file_kind.h"
#include "weft/formats/safetensors.h"
#include "weft/options/option_value.h"

namespace weft::app {
namespace {

constexpr std::string_view kModelOptions[] = {
    "model", "from", "from-hf", "from-gguf", "pretrained-model", "teacher", "draft", "lora"};

// Of a file, or of those of a folder one after the other.
std::string checksum_of_bytes(const std::string& path) {
  Checksum sum;
  if (std::filesystem::is_directory(path)) {
    for (const std::string& file : data::files_in(path)) add_file(file, sum);
  } else {
    add_file(path, sum);
  }
  return formats::checksum_digits(sum.value());
}

std::string checksum_of_model(const std::string& path) {
  try {
    const formats::SafetensorsFile file(path);
    if (file.has_checksum()) return file.checksum();
  } catch (const Error&) {  // of another format
  }
  return checksum_of_bytes(path);
}

void record_model(const options::Option& option, const std::string& path) {
  std::error_code none;
  std::string checksum = "none yet";
  if (std::filesystem::exists(path, none)) {
    checksum = checksum_of_model(path);
  } else if (!option.meta.writes) {
    return;  // --draft prompt, or what reads it says so
  }
  record(fmt::format("{}: {}, checksum {}", option.name, path, checksum));
}

}  // namespace

void record_models(const options::OptionTable& table) {
  for (const std::string_view name : kModelOptions) {
    const options::Option* option = table.find(name);
    if (option == nullptr || !option->is_in_effect()) continue;
    for (const std::string& path : options::values_of(*option)) {
      try {
        record_model(*option, path);
      } catch (const Error&) {  // what reads it says so
      }
    }
  }
}

}  // namespace weft::app
