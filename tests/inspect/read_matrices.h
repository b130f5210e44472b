// Matrices of an inspection's JSON, decoded as docs/inspect.md says, by other code than the
// program's.
#ifndef WEFT_TESTS_INSPECT_READ_MATRICES_H_
#define WEFT_TESTS_INSPECT_READ_MATRICES_H_

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::test {

inline std::string decode_base64(const std::string& text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    int digit = c == '+' ? 62 : 63;
    if (c >= 'A' && c <= 'Z') digit = c - 'A';
    if (c >= 'a' && c <= 'z') digit = c - 'a' + 26;
    if (c >= '0' && c <= '9') digit = c - '0' + 52;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

inline std::string inflate(const std::string& packed, size_t bytes) {
  std::string out(bytes, '\0');
  uLongf size = bytes;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(size, bytes);
  return out;
}

// The values of {shape, low, step, data}, matrix by matrix.
inline std::vector<double> read_matrices(const nlohmann::ordered_json& json) {
  size_t count = 1;
  for (const auto& size : json["shape"]) count *= size.get<size_t>();
  const std::string bytes = inflate(decode_base64(json["data"]), 2 * count);
  std::vector<double> out;
  for (size_t i = 0; i < count; ++i) {
    const int number =
        static_cast<uint8_t>(bytes[i]) + 256 * static_cast<uint8_t>(bytes[count + i]);
    out.push_back(json["low"].get<double>() + number * json["step"].get<double>());
  }
  return out;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_INSPECT_READ_MATRICES_H_
