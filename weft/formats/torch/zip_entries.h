// The files in a zip archive whose files are stored as they are, as torch.save writes it: views of
// its bytes, for which libzip has no interface.
#ifndef WEFT_FORMATS_TORCH_ZIP_ENTRIES_H_
#define WEFT_FORMATS_TORCH_ZIP_ENTRIES_H_

#include <map>
#include <string>
#include <string_view>

namespace weft::formats {

// By name. Throws FormatError, prefixed with `where`, for an archive that is damaged, has a file
// twice, or one that is compressed or encrypted.
std::map<std::string, std::string_view> zip_entries(std::string_view where, std::string_view file);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_TORCH_ZIP_ENTRIES_H_
