// Samples without a header, as recorders and converters write them to a pipe.
#ifndef WEFT_DATA_AUDIO_RAW_SAMPLES_H_
#define WEFT_DATA_AUDIO_RAW_SAMPLES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/options/one_of.h"

namespace weft::data {

// The types of samples, by ffmpeg's names for its formats. decode() gives a number from -1 to 1 of
// kBytes bytes.
struct UnsignedBytes {
  static constexpr std::string_view kName = "u8";
  static constexpr std::string_view kHelp = "arecord's U8";
  static constexpr size_t kBytes = 1;
  static float decode(const uint8_t* bytes);
};
struct Integers16 {
  static constexpr std::string_view kName = "s16le";
  static constexpr std::string_view kHelp = "arecord's S16_LE";
  static constexpr size_t kBytes = 2;
  static float decode(const uint8_t* bytes);
};
struct Integers24 {
  static constexpr std::string_view kName = "s24le";
  static constexpr std::string_view kHelp = "arecord's S24_3LE";
  static constexpr size_t kBytes = 3;
  static float decode(const uint8_t* bytes);
};
struct Integers32 {
  static constexpr std::string_view kName = "s32le";
  static constexpr std::string_view kHelp = "arecord's S32_LE";
  static constexpr size_t kBytes = 4;
  static float decode(const uint8_t* bytes);
};
struct Floats32 {
  static constexpr std::string_view kName = "f32le";
  static constexpr std::string_view kHelp = "arecord's FLOAT_LE";
  static constexpr size_t kBytes = 4;
  static float decode(const uint8_t* bytes);
};

// Decodes bytes that come in pieces of any length.
class RawDecoder {
 public:
  template <class Kind>
  RawDecoder(Kind, int64_t channels)
      : sample_bytes_(Kind::kBytes), decode_(Kind::decode), channels_(channels) {}

  // Appends the means over the channels of the samples that end with these bytes. Throws
  // FormatError, naming `name`, for a number that is not finite.
  void add(std::string_view bytes, const std::string& name, std::vector<float>& out);
  // Bytes of a sample, of all channels, that is not complete.
  size_t rest() const { return pending_.size(); }

 private:
  size_t sample_bytes_;
  float (*decode_)(const uint8_t*);
  int64_t channels_;
  std::string pending_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_RAW_SAMPLES_H_
