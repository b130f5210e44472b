#include "weft/options/yaml.h"

#include <fmt/format.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "weft/core/error.h"
#include "weft/core/files/open_file.h"
#include "weft/options/option_value.h"

namespace weft::options {
namespace {

std::string location(std::string_view source, const YAML::Mark& mark) {
  return mark.is_null() ? std::string(source) : fmt::format("{}:{}", source, mark.line + 1);
}

std::string scalar_of(const YAML::Node& node, const std::string& where) {
  if (node.IsNull()) fail<OptionError>(where, "no value; expected one (\"\" for an empty string)");
  if (!node.IsScalar())
    fail<OptionError>(where, "a value is nested; expected plain values or a list of them");
  return node.Scalar();
}

Setting setting_of(const YAML::Node& key, const YAML::Node& value, std::string_view source) {
  if (!key.IsScalar())
    fail<OptionError>(location(source, key.Mark()),
                      "a key is not a name; expected 'option: value'");
  Setting out;
  out.name = key.Scalar();
  out.where = fmt::format("{}: {}", location(source, key.Mark()), out.name);
  out.is_list = value.IsSequence();
  if (out.is_list) {
    for (const YAML::Node& item : value) out.values.push_back(scalar_of(item, out.where));
  } else {
    out.values.push_back(scalar_of(value, out.where));
  }
  return out;
}

YAML::Node load(std::string_view text, std::string_view source) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1)
      fail<FormatError>(source, "{} documents; expected one", documents.size());
    return documents.empty() ? YAML::Node() : documents[0];
  } catch (const YAML::Exception& error) {
    fail<FormatError>(location(source, error.mark),
                      "invalid YAML: {}; expected 'option: value' lines", error.msg);
  }
}

// Quote whatever a YAML parser could read as null, a number, a comment or an indicator.
bool needs_quotes(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/';
  };
  constexpr std::string_view kReserved[] = {"null", "Null", "NULL", "true", "false", "yes",
                                            "no",   "on",   "off",  "y",    "n"};
  const bool starts_plain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) ||
                                              text[0] == '/' || text[0] == '_');
  return !starts_plain || !std::all_of(text.begin(), text.end(), is_plain) ||
         std::find(std::begin(kReserved), std::end(kReserved), text) != std::end(kReserved);
}

std::string yaml_text(const Option& option, const std::string& value) {
  if (!option.is_text() || !needs_quotes(value)) return value;
  YAML::Emitter out;
  out << YAML::DoubleQuoted << value;
  if (YAML::Load(out.c_str()).Scalar() != value)
    fail<OptionError>("--" + option.name, "YAML cannot hold {}; expected UTF-8", quote(value));
  return out.c_str();
}

std::string yaml_value(const Option& option) {
  std::vector<std::string> texts;
  for (const std::string& value : values_of(option)) texts.push_back(yaml_text(option, value));
  return option.is_list() ? fmt::format("[{}]", fmt::join(texts, ", ")) : texts[0];
}

std::string read_options(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  const int file = open_for_reading(path, Pipes::kRead);
  std::string text(kMaxBytes + 1, '\0');
  size_t size = 0;
  ssize_t got = 1;
  while (got > 0 && size < text.size()) {
    got = ::read(file, text.data() + size, text.size() - size);
    if (got > 0) size += static_cast<size_t>(got);
  }
  const int reason = errno;
  ::close(file);
  if (got < 0) fail<FileError>(path, "cannot be read: {}", std::strerror(reason));
  if (size > kMaxBytes)
    fail<FormatError>(path, "larger than {} bytes; expected a file of options", kMaxBytes);
  text.resize(size);
  return text;
}

}  // namespace

std::vector<Setting> parse_yaml(std::string_view text, std::string_view source) {
  const YAML::Node root = load(text, source);
  std::vector<Setting> out;
  if (root.IsNull()) return out;
  if (!root.IsMap())
    fail<FormatError>(location(source, root.Mark()), "not a map; expected 'option: value' lines");
  for (const auto& entry : root) {
    Setting setting = setting_of(entry.first, entry.second, source);
    for (const Setting& earlier : out)
      if (earlier.name == setting.name)
        fail<OptionError>(setting.where, "given twice; expected once, the first is at {}",
                          earlier.where);
    out.push_back(std::move(setting));
  }
  return out;
}

std::vector<Setting> parse_yaml_file(const std::string& path) {
  return parse_yaml(read_options(path), path);
}

void read_yaml(OptionTable& table, const std::vector<Setting>& settings) {
  std::vector<const Option*> seen;
  for (const Setting& setting : settings) {
    const Option* option = table.find(setting.name);
    if (option != nullptr && option->meta.flag_only)
      fail<OptionError>(setting.where, "not allowed in a file; expected on the command line");
    if (option != nullptr && std::find(seen.begin(), seen.end(), option) != seen.end())
      fail<OptionError>(setting.where, "given twice, as {} and its alias {}", option->name,
                        option->meta.alias);
    seen.push_back(option);
    table.assign(setting);
  }
}

std::string to_yaml(const OptionTable& table, Dump mode) {
  std::string out, group;
  for (const Option& option : table.options()) {
    if (option.meta.flag_only) continue;
    if (mode == Dump::kMinimal && values_of(option) == option.defaults) continue;
    if (mode == Dump::kFull && option.group != group) {
      out += fmt::format("{}# {}\n", out.empty() ? "" : "\n", option.group);
      group = option.group;
    }
    out += fmt::format("{}: {}\n", option.name, yaml_value(option));
  }
  return out;
}

}  // namespace weft::options
