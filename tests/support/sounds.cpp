#include "tests/support/sounds.h"

#include <cmath>
#include <numbers>

namespace weft::test {
namespace {

void append_number(std::string& out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

}  // namespace

std::string wav_of(std::span<const int16_t> samples, int rate, int channels) {
  const auto size = static_cast<uint32_t>(2 * samples.size());
  std::string out = "RIFF";
  append_number(out, 36 + size, 4);
  out += "WAVEfmt ";
  append_number(out, 16, 4);
  append_number(out, 1, 2);  // integers
  append_number(out, static_cast<uint32_t>(channels), 2);
  append_number(out, static_cast<uint32_t>(rate), 4);
  append_number(out, static_cast<uint32_t>(rate * channels * 2), 4);
  append_number(out, static_cast<uint32_t>(channels * 2), 2);
  append_number(out, 16, 2);
  out += "data";
  append_number(out, size, 4);
  for (const int16_t sample : samples) append_number(out, static_cast<uint16_t>(sample), 2);
  return out;
}

std::vector<int16_t> tone(int samples, double frequency, int rate) {
  std::vector<int16_t> out;
  for (int i = 0; i < samples; ++i) {
    out.push_back(
        static_cast<int16_t>(8000 * std::sin(2 * std::numbers::pi * frequency * i / rate)));
  }
  return out;
}

}  // namespace weft::test
