#include "weft/data/file_kind.h"

#include <algorithm>
#include <filesystem>

#include "weft/core/error.h"
#include "weft/data/audio/sound_format.h"
#include "weft/data/features/feature_file.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;

// The beginning of a file, decompressed.
std::string head_of(const std::string& path) {
  std::string head;
  read_pieces(path, Pipes::kRefused, [&](std::string_view piece) {
    head = piece;
    return false;
  });
  return head;
}

}  // namespace

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::kPicture: return "picture";
    case FileKind::kSound: return "sound";
    case FileKind::kVectors: break;
  }
  return "file of vectors";
}

std::optional<FileKind> kind_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG") || bytes.starts_with("\xFF\xD8\xFF")) {
    return FileKind::kPicture;
  }
  if (bytes.size() > 12 && begins_as_sound(bytes.substr(0, 12))) return FileKind::kSound;
  return std::nullopt;
}

bool is_of_kind(FileKind kind, const std::string& path) {
  const std::string head = head_of(path);
  return kind == FileKind::kVectors ? holds_vectors(head) : kind_of(head) == kind;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with('.')) {
      it.disable_recursion_pending();
    } else if (!it->is_directory(error)) {
      found.push_back(it->path());
    }
  }
  if (error) fail<FileError>(folder, "{}", error.message());
  std::ranges::sort(found);
  std::vector<std::string> out;
  out.reserve(found.size());
  for (const fs::path& path : found) out.push_back(path.string());
  return out;
}

}  // namespace weft::data
