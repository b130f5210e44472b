// Bytes as printable characters, as GPT-2's byte-level BPE writes them in its vocabulary (Radford
// et al. 2019): a space is U+0120.
#ifndef WEFT_DATA_SUBWORDS_BYTE_CHARACTERS_H_
#define WEFT_DATA_SUBWORDS_BYTE_CHARACTERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::data {

// One or two bytes of UTF-8.
std::string_view byte_character(uint8_t byte);

// The byte that a character stands for.
std::optional<uint8_t> byte_of_character(char32_t c);

// The bytes that a token of such characters stands for; none if another character is among them.
std::optional<std::string> bytes_of_characters(std::string_view token);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_BYTE_CHARACTERS_H_
