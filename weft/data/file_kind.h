// Kinds of files, recognised by their content, and those of a folder.
#ifndef WEFT_DATA_FILE_KIND_H_
#define WEFT_DATA_FILE_KIND_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

enum class FileKind { kPicture, kSound, kVectors };

std::string_view name_of(FileKind kind);  // "picture", "sound", "file of vectors"

// A picture (PNG, JPEG) or a sound (kSoundFormats) by its first bytes.
std::optional<FileKind> kind_of(std::string_view bytes);

// Whether a file is of this kind; of vectors by holds_vectors(). Throws FileError for what
// cannot be read and for a pipe, which it would use up.
bool is_of_kind(FileKind kind, const std::string& path);

// The files of a folder and of the folders in it, in byte order of their paths, but for names that
// begin with a point. Throws FileError.
std::vector<std::string> files_in(const std::string& folder);

}  // namespace weft::data

#endif  // WEFT_DATA_FILE_KIND_H_
