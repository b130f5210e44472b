// Sounds in files, for tests.
#ifndef WEFT_TESTS_SUPPORT_SOUNDS_H_
#define WEFT_TESTS_SUPPORT_SOUNDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::test {

// The bytes of a WAV file of 16-bit samples, interleaved.
std::string wav_of(std::span<const int16_t> samples, int rate, int channels = 1);

// A sine of this many samples.
std::vector<int16_t> tone(int samples, double frequency, int rate);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_SOUNDS_H_
