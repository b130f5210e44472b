#include "weft/data/boxes/voc_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "weft/core/error.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnnotations = "Annotations";
constexpr const char* kPictures = "JPEGImages";
constexpr const char* kExtension = ".xml";
constexpr const char* kListed = "; expected an annotation of Pascal VOC for each name of the list";

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

// The files below a folder, by their names; looked up when first asked for.
class FilesBelow {
 public:
  explicit FilesBelow(fs::path root) : root_(std::move(root)) {}

  const fs::path& root() const { return root_; }
  // Sorted.
  std::vector<fs::path> with_extension(const char* extension) {
    std::vector<fs::path> out;
    for (const auto& [name, paths] : files()) {
      if (fs::path(name).extension() == extension)
        out.insert(out.end(), paths.begin(), paths.end());
    }
    std::ranges::sort(out);
    return out;
  }
  // Throws FormatError, naming `where`, unless one file has the name.
  fs::path find(const std::string& name, const std::string& where, std::string_view hint) {
    const auto found = files().find(name);
    if (found == files().end()) {
      fail<FormatError>(where, "no file {} below {}{}", quote(name), root_.string(), hint);
    }
    if (found->second.size() > 1) {
      fail<FormatError>(where, "{} and {} have the same name; expected one file{}",
                        found->second[0].string(), found->second[1].string(), hint);
    }
    return found->second.front();
  }

 private:
  const std::map<std::string, std::vector<fs::path>>& files() {
    if (is_read_) return files_;
    is_read_ = true;
    std::error_code error;
    fs::recursive_directory_iterator it(root_, error);
    for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
      if (!it->is_directory(error)) files_[it->path().filename().string()].push_back(it->path());
    }
    if (error) fail<FileError>(root_.string(), "{}", error.message());
    for (auto& [name, paths] : files_) std::ranges::sort(paths);
    return files_;
  }

  fs::path root_;
  bool is_read_ = false;
  std::map<std::string, std::vector<fs::path>> files_;
};

struct VocReader {
  FilesBelow files;
  std::string image_folder;
  SkippedFiles& skipped;
  const TakePicture& take;

  void read(const fs::path& annotation) {
    read_found([&] { return annotation; });
  }
  // find() returns the path of an annotation.
  template <class Find>
  void read_found(const Find& find) {
    const std::optional<PictureBoxes> picture = skipped.read([&] { return parse(find()); });
    if (picture) take(*picture);
  }
  PictureBoxes parse(const fs::path& annotation) {
    const std::string path = annotation.string();
    PictureBoxes picture = parse_voc(read_bytes(path, Pipes::kRefused), path);
    picture.image = picture_path(picture.image, annotation).string();
    return picture;
  }
  fs::path picture_path(const std::string& name, const fs::path& annotation) {
    if (!image_folder.empty()) return fs::path(image_folder) / name;
    if (is_folder(files.root() / kPictures)) return files.root() / kPictures / name;
    if (fs::path beside = annotation.parent_path() / name; is_there(beside)) return beside;
    return files.find(fs::path(name).filename().string(), annotation.string(),
                      "; hint: --image-folder says where pictures are");
  }
};

// The folder above a list that has the annotations, or that of the list.
fs::path root_of(const fs::path& list) {
  fs::path nearest = fs::absolute(list).parent_path();
  for (fs::path folder = nearest;; folder = folder.parent_path()) {
    if (is_folder(folder / kAnnotations)) return folder;
    if (folder == folder.root_path()) return nearest;
  }
}

}  // namespace

void read_voc_folder(const std::string& root, const std::string& image_folder,
                     SkippedFiles& skipped, const TakePicture& take) {
  const fs::path annotations = fs::path(root) / kAnnotations;
  const bool is_usual = is_folder(annotations);
  const auto files = FilesBelow(is_usual ? annotations : fs::path(root)).with_extension(kExtension);
  if (files.empty()) {
    fail<FormatError>(root, "no file *{}; expected annotations of Pascal VOC in it", kExtension);
  }
  VocReader reader{FilesBelow(root), image_folder, skipped, take};
  for (const fs::path& file : files) reader.read(file);
}

void read_voc_list(const std::string& list, const std::string& image_folder, SkippedFiles& skipped,
                   const TakePicture& take) {
  const fs::path root = root_of(list);
  const bool is_usual = is_folder(root / kAnnotations);
  VocReader reader{FilesBelow(root), image_folder, skipped, take};
  TextFile file(list);
  while (file.next()) {
    const std::string_view line = file.line();
    const size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    if (begin == end) continue;
    const std::string name = std::string(line.substr(begin, end - begin)) + kExtension;
    const std::string where = fmt::format("{}:{}", list, file.line_number());
    reader.read_found([&] {
      fs::path annotation =
          is_usual ? root / kAnnotations / name : reader.files.find(name, where, kListed);
      if (!is_there(annotation)) fail<FormatError>(where, "no file {}", annotation.string());
      return annotation;
    });
  }
}

void read_voc_annotation(const std::string& path, const std::string& image_folder,
                         SkippedFiles& skipped, const TakePicture& take) {
  const fs::path folder = fs::absolute(path).parent_path();
  const bool is_usual = folder.filename() == kAnnotations;
  VocReader reader{FilesBelow(is_usual ? folder.parent_path() : folder), image_folder, skipped,
                   take};
  reader.read(path);
}

}  // namespace weft::data
