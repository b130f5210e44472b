// The formats of sound that are read.
#ifndef WEFT_DATA_AUDIO_SOUND_FORMAT_H_
#define WEFT_DATA_AUDIO_SOUND_FORMAT_H_

#include <string>
#include <string_view>

namespace weft::data {

inline constexpr const char* kSoundFormats = "WAV, FLAC, Ogg, MP3, AIFF, AU or NIST SPHERE";

// Whether the first 12 bytes of a file are those of kSoundFormats, or of a tag before MP3.
bool begins_as_sound(std::string_view head);

// Throws FormatError unless the first bytes of the file are those of kSoundFormats. libsndfile
// reads others too, but prints to standard output where a file of them is damaged (MIDI Sample
// Dump, CAF) or takes them for sound by few bytes. Does not move the position in the file.
void check_sound_format(int descriptor, const std::string& path);

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_SOUND_FORMAT_H_
