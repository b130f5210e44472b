// A file that a line of a list names beside its label.
#ifndef WEFT_DATA_LABELS_LISTED_FILE_H_
#define WEFT_DATA_LABELS_LISTED_FILE_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "weft/core/error.h"

namespace weft::data {

struct ListedFile {
  std::filesystem::path folder;  // of the list
  std::string path, label;

  // "; hint: ..." with `remedy` where the path is no file but the label is one; else empty.
  std::string swapped_hint(std::string_view remedy) const;
};

inline constexpr std::string_view kSwappedLabels =
    "--text-field is the field of the path and --label-field that of the label, numbered from 0: "
    "--text-field 0 --label-field 1";

// read(path), where a path and a label that are swapped make a FormatError name the remedy.
template <class Read>
auto read_listed(const ListedFile& file, std::string_view remedy, const Read& read) {
  try {
    return read((file.folder / file.path).string());
  } catch (const FormatError& error) {
    const std::string hint = file.swapped_hint(remedy);
    if (hint.empty()) throw;
    throw FormatError(error.what() + hint);
  }
}

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LISTED_FILE_H_
