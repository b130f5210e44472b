#include "weft/formats/safetensors_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "weft/core/error.h"
#include "weft/formats/gguf_values.h"

namespace weft::formats {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const std::string kMetadata = "__metadata__";
const std::string kAliases = "weft.aliases";
const std::string kChecksum = "weft.checksum";
const std::string kChecksumKind = "xxh3:";
constexpr size_t kChecksumDigits = 16;
constexpr size_t kLengthBytes = 8;
constexpr size_t kAlignment = 64;
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format
constexpr int kMaxDepth = 3;                       // header, tensor, shape

// All types of the format with their width in bits.
constexpr std::array<std::pair<std::string_view, uint64_t>, 20> kTypeBits = {{
    {"BOOL", 8}, {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
    {"U16", 16}, {"F16", 16},    {"BF16", 16},   {"I32", 32},    {"U32", 32},
    {"F32", 32}, {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};

uint64_t bits_of(std::string_view dtype) {
  for (const auto& [name, bits] : kTypeBits) {
    if (name == dtype) return bits;
  }
  return 0;
}

// Parses JSON. Rejects duplicate keys and nesting deeper than a valid header has.
json parse_strictly(std::string_view where, std::string_view subject, std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) fail<FormatError>(where, "the {} is nested too deeply", subject);
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      fail<FormatError>(where, "duplicate key {} in the {}", quote(parsed.get<std::string>()),
                        subject);
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& e) {
    fail<FormatError>(where, "the {} is not valid JSON: {}", subject, e.what());
  }
}

std::map<std::string, std::string> string_map(std::string_view where, std::string_view subject,
                                              const json& object) {
  if (!object.is_object()) fail<FormatError>(where, "the {} is not a JSON object", subject);
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) {
      fail<FormatError>(where, "{} in the {}: expected a string, got {}", quote(key), subject,
                        value.type_name());
    }
    out[key] = value.get<std::string>();
  }
  return out;
}

// The list `key` of a tensor's object. Its elements must be integers from 0 to 2^63 - 1.
std::vector<int64_t> integers(std::string_view where, const std::string& tensor, const json& object,
                              const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) {
    fail<FormatError>(where, "tensor {} has no list \"{}\"", quote(tensor), key);
  }
  std::vector<int64_t> out;
  for (const json& item : *found) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > INT64_MAX) {
      fail<FormatError>(where,
                        "tensor {}: \"{}\" contains {}; expected integers from 0 to 2^63 - 1",
                        quote(tensor), key, quote(item.dump()));
    }
    out.push_back(item.get<int64_t>());
  }
  return out;
}

// Throws unless the size of shape and type equals end - begin.
void check_size(std::string_view where, const SafetensorsEntry& e) {
  uint64_t bits = bits_of(e.dtype);
  if (bits == 0) {
    fail<FormatError>(where, "tensor {} has the unknown type {}", quote(e.name), quote(e.dtype));
  }
  bool overflow = false;
  for (const int64_t d : e.shape) overflow |= __builtin_mul_overflow(bits, d, &bits);
  // A later dimension of 0 does not make an overflowing shape valid.
  if (overflow) fail<FormatError>(where, "tensor {} has too many elements", quote(e.name));
  if (e.begin > e.end) {
    fail<FormatError>(where, "tensor {} begins at byte {} and ends at {}", quote(e.name), e.begin,
                      e.end);
  }
  if (bits % 8 != 0 || bits / 8 != e.end - e.begin) {
    fail<FormatError>(where, "tensor {} has {} bytes of data; expected {} for {} [{}]",
                      quote(e.name), e.end - e.begin, static_cast<double>(bits) / 8, e.dtype,
                      fmt::format("{}", fmt::join(e.shape, ", ")));
  }
}

SafetensorsEntry parse_entry(std::string_view where, const std::string& name, const json& object) {
  if (!object.is_object()) {
    fail<FormatError>(where, "tensor {}: expected an object, got {}", quote(name),
                      object.type_name());
  }
  SafetensorsEntry out;
  out.name = name;
  const auto dtype = object.find("dtype");
  if (dtype == object.end() || !dtype->is_string()) {
    fail<FormatError>(where, "tensor {} has no \"dtype\"", quote(name));
  }
  out.dtype = dtype->get<std::string>();
  out.shape = integers(where, name, object, "shape");
  const auto offsets = integers(where, name, object, "data_offsets");
  if (offsets.size() != 2) {
    fail<FormatError>(where, "tensor {}: expected 2 data_offsets, got {}", quote(name),
                      offsets.size());
  }
  out.begin = static_cast<uint64_t>(offsets[0]);
  out.end = static_cast<uint64_t>(offsets[1]);
  check_size(where, out);
  return out;
}

// Throws unless the sorted entries cover the data exactly.
void check_layout(std::string_view where, const std::vector<SafetensorsEntry>& entries,
                  uint64_t data_bytes) {
  uint64_t offset = 0;
  for (const SafetensorsEntry& e : entries) {
    if (e.end > data_bytes) {
      fail<FormatError>(where, "tensor {} ends at byte {} of the data; expected at most {}",
                        quote(e.name), e.end, data_bytes);
    }
    if (e.begin != offset) {
      fail<FormatError>(where, "tensor {} begins at byte {} of the data, {}; expected {}",
                        quote(e.name), e.begin,
                        e.begin < offset ? "inside another tensor" : "after a gap", offset);
    }
    offset = e.end;
  }
  if (offset != data_bytes) {
    fail<FormatError>(where, "{} bytes of data; expected {}, where the last tensor ends",
                      data_bytes, offset);
  }
}

// Throws unless tensor names are unique and every alias refers to a tensor.
void check_names(std::string_view where, const SafetensorsHeader& header) {
  std::set<std::string_view> names;
  for (const SafetensorsEntry& e : header.entries) {
    if (e.name == kMetadata) fail<FormatError>(where, "tensor name {} is reserved", quote(e.name));
    if (!names.insert(e.name).second) {
      fail<FormatError>(where, "two tensors are named {}", quote(e.name));
    }
  }
  for (const auto& [alias, name] : header.aliases) {
    if (names.count(alias) != 0) {
      fail<FormatError>(where, "{} is both a tensor and an alias", quote(alias));
    }
    if (names.count(name) == 0) {
      fail<FormatError>(where, "alias {} refers to {}, which is not a tensor", quote(alias),
                        quote(name));
    }
  }
}

void take_aliases(std::string_view where, SafetensorsHeader& header) {
  constexpr std::string_view kWhat = "list of aliases";
  const auto found = header.metadata.find(kAliases);
  if (found == header.metadata.end()) return;
  header.aliases = string_map(where, kWhat, parse_strictly(where, kWhat, found->second));
  header.metadata.erase(found);
}

void take_checksum(std::string_view where, std::string_view file, SafetensorsHeader& header) {
  const auto found = header.metadata.find(kChecksum);
  if (found == header.metadata.end()) return;
  const std::string_view value = found->second;
  const std::string_view digits = value.substr(std::min(kChecksumKind.size(), value.size()));
  uint64_t checksum = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), checksum, 16);
  if (!value.starts_with(kChecksumKind) || digits.size() != kChecksumDigits ||
      error != std::errc() || end != digits.data() + digits.size()) {
    fail<FormatError>(where, "the checksum is {}; expected {} and {} hexadecimal digits",
                      quote(value), kChecksumKind, kChecksumDigits);
  }
  header.checksum = checksum;
  header.checksum_begin = find_checksum(file.substr(0, header.data_begin));
  header.metadata.erase(found);
}

// The JSON text of the header, and the offset of the data.
std::pair<std::string_view, uint64_t> header_bytes(std::string_view where, std::string_view file) {
  if (file.size() < kLengthBytes) {
    fail<FormatError>(where, "not a safetensors file: expected at least {} bytes, got {}",
                      kLengthBytes, file.size());
  }
  if (file.starts_with(kGgufMagic)) {
    fail<FormatError>(where,
                      "a GGUF file; expected a safetensors file; hint: weft convert --from-gguf");
  }
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length |= uint64_t{static_cast<unsigned char>(file[i])} << (8 * i);
  }
  const uint64_t rest = file.size() - kLengthBytes;
  if (length > rest || length > kMaxHeaderBytes) {
    fail<FormatError>(where,
                      "not a safetensors file or truncated: a header of {} bytes; "
                      "expected at most {}",
                      length, std::min(rest, kMaxHeaderBytes));
  }
  const std::string_view text = file.substr(kLengthBytes, length);
  if (text.empty() || text[0] != '{') {
    fail<FormatError>(where, "not a safetensors file: the header does not begin with {{");
  }
  return {text, kLengthBytes + length};
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view where, std::string_view file) {
  SafetensorsHeader out;
  const auto [text, data_begin] = header_bytes(where, file);
  out.data_begin = data_begin;
  const json header = parse_strictly(where, "header", text);
  for (const auto& [name, value] : header.items()) {
    if (name == kMetadata) {
      out.metadata = string_map(where, "metadata", value);
    } else {
      out.entries.push_back(parse_entry(where, name, value));
    }
  }
  std::sort(out.entries.begin(), out.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  check_layout(where, out.entries, file.size() - data_begin);
  take_aliases(where, out);
  take_checksum(where, file, out);
  check_names(where, out);
  return out;
}

std::string checksum_digits(uint64_t checksum) {
  return fmt::format("{:0{}x}", checksum, kChecksumDigits);
}

size_t find_checksum(std::string_view header) {
  // No JSON string can contain the key, since quotation marks in strings are escaped. Writers of
  // JSON put spaces where they like.
  const std::string key = fmt::format("\"{}\"", kChecksum);
  const std::string before = fmt::format("\"{}", kChecksumKind);
  const auto skip_spaces = [&](size_t i) {
    return std::min(header.find_first_not_of(" \t\n\r", i), header.size());
  };
  for (size_t i = header.find(key); i != header.npos; i = header.find(key, i + 1)) {
    const size_t colon = skip_spaces(i + key.size());
    if (!header.substr(colon).starts_with(':')) continue;  // a value
    const size_t value = skip_spaces(colon + 1);
    if (header.substr(value).starts_with(before)) return value + before.size();
  }
  return header.npos;
}

std::string safetensors_header_text(std::string_view where, const SafetensorsHeader& header) {
  check_names(where, header);
  for (const std::string& key : {kAliases, kChecksum}) {
    if (header.metadata.count(key) == 0) continue;
    fail<FormatError>(where, "metadata key {} is reserved", quote(key));
  }
  ordered_json root;
  auto metadata = header.metadata;
  std::string text;
  try {
    if (!header.aliases.empty()) metadata[kAliases] = json(header.aliases).dump();
    if (header.checksum) metadata[kChecksum] = kChecksumKind + checksum_digits(*header.checksum);
    if (!metadata.empty()) root[kMetadata] = metadata;
    for (const SafetensorsEntry& e : header.entries) {
      root[e.name] = {{"dtype", e.dtype}, {"shape", e.shape}, {"data_offsets", {e.begin, e.end}}};
    }
    text = root.is_null() ? "{}" : root.dump();
  } catch (const json::exception& e) {
    fail<FormatError>(where, "a name or the metadata is not valid UTF-8: {}", e.what());
  }
  while ((kLengthBytes + text.size()) % kAlignment != 0) text.push_back(' ');
  std::string out(kLengthBytes, '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) out[i] = static_cast<char>(text.size() >> (8 * i));
  return out + text;
}

}  // namespace weft::formats
