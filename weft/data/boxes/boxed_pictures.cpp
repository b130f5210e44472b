#include "weft/data/boxes/boxed_pictures.h"

#include <fmt/core.h>

#include <filesystem>

#include "weft/core/error.h"
#include "weft/data/boxes/voc_files.h"
#include "weft/data/text/text_file.h"
#include "weft/data/trimmed.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;

// What a file is, by the first line that is not blank.
enum class Form { kJsonLines, kCoco, kVocList, kVocAnnotation };

Form form_of(const std::string& path) {
  TextFile file(path);
  while (file.next()) {
    if (file.is_too_long()) return Form::kCoco;  // of a whole data set in one line
    const std::string_view line = trimmed(file.line());
    if (line.empty()) continue;
    if (without_byte_order_mark(line).starts_with('<')) return Form::kVocAnnotation;
    if (line.front() != '{') return Form::kVocList;
    if (line == "{") return Form::kCoco;
    for (const char* key : {"\"images\"", "\"annotations\"", "\"categories\"", "\"info\""}) {
      if (line.find(key) != std::string_view::npos) return Form::kCoco;
    }
    return Form::kJsonLines;
  }
  fail<FormatError>(path,
                    "is empty; expected lines of JSON, COCO's JSON, an annotation of Pascal VOC or "
                    "a list of names");
}

void take_in(const fs::path& folder, PictureBoxes picture, const TakePicture& take) {
  picture.image = (folder / picture.image).string();
  take(picture);
}

void read_json_lines(const std::string& path, const fs::path& folder, const TakePicture& take) {
  TextFile file(path);
  while (file.next()) {
    const std::string where = fmt::format("{}:{}", path, file.line_number());
    if (file.is_too_long()) {
      fail<FormatError>(where, "expected a line of at most {} bytes", kMaxLineBytes);
    }
    if (trimmed(file.line()).empty()) continue;
    take_in(folder, parse_json_line(file.line(), where), take);
  }
}

void read_coco(const std::string& path, const fs::path& folder, const TakePicture& take) {
  for (PictureBoxes& picture : parse_coco(read_bytes(path, Pipes::kRead), path)) {
    take_in(folder, std::move(picture), take);
  }
}

void read_file(const std::string& path, const std::string& image_folder, SkippedFiles& skipped,
               const TakePicture& take) {
  std::error_code none;
  if (fs::is_directory(path, none)) return read_voc_folder(path, image_folder, skipped, take);
  const fs::path folder =
      image_folder.empty() ? fs::path(path).parent_path() : fs::path(image_folder);
  switch (form_of(path)) {
    case Form::kJsonLines: return read_json_lines(path, folder, take);
    case Form::kCoco: return read_coco(path, folder, take);
    case Form::kVocList: return read_voc_list(path, image_folder, skipped, take);
    case Form::kVocAnnotation: return read_voc_annotation(path, image_folder, skipped, take);
  }
}

}  // namespace

void read_boxed_pictures(const std::vector<std::string>& files, const std::string& image_folder,
                         SkippedFiles& skipped, const TakePicture& take) {
  for (const std::string& file : files) read_file(file, image_folder, skipped, take);
}

}  // namespace weft::data
