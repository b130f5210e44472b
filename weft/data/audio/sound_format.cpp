#include "weft/data/audio/sound_format.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "weft/core/error.h"

namespace weft::data {
namespace {

// What the bytes from 0 on, and those from 8 on, are.
struct Signature {
  std::string_view first, third = {};
};
constexpr Signature kSignatures[] = {
    {"RIFF", "WAVE"}, {"RIFX", "WAVE"}, {"RF64", "WAVE"}, {"riff"}, {"fLaC"}, {"OggS"},
    {"FORM", "AIFF"}, {"FORM", "AIFC"}, {".snd"},         {"dns."}, {"NIST"}};

// The beginning of a frame of MPEG audio, layer III: eleven bits that are set, two of the version,
// and 01. The mark of UTF-16 text, FF FE, differs in the layer.
bool is_mp3(std::string_view head) {
  return head.size() > 1 && head[0] == '\xFF' && (head[1] & '\xE6') == '\xE2';
}

bool has_signature(std::string_view head) {
  return is_mp3(head) || std::ranges::any_of(kSignatures, [&](const Signature& s) {
           return head.starts_with(s.first) &&
                  head.substr(std::min<size_t>(8, head.size())).starts_with(s.third);
         });
}

// The bytes that an ID3v2 tag takes, 0 where there is none. The size has 7 bits a byte.
int64_t tag_bytes(std::string_view head) {
  if (head.size() < 10 || !head.starts_with("ID3")) return 0;
  int64_t size = 0;
  for (const char byte : head.substr(6, 4)) size = size << 7 | (byte & 0x7F);
  return size + 10;
}

}  // namespace

bool begins_as_sound(std::string_view head) { return has_signature(head) || tag_bytes(head) > 0; }

void check_sound_format(int descriptor, const std::string& path) {
  std::array<char, 12> bytes{};
  for (int64_t offset = 0;;) {
    const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), offset);
    if (got < 0) fail<FileError>(path, "cannot be read: {}", std::strerror(errno));
    const std::string_view head(bytes.data(), static_cast<size_t>(got));
    if (has_signature(head)) return;
    const int64_t tag = tag_bytes(head);
    if (tag == 0) break;
    offset += tag;
  }
  fail<FormatError>(path, "unknown format; expected {}", kSoundFormats);
}

}  // namespace weft::data
