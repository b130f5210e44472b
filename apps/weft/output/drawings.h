// The pictures that a command draws, one for each line of its input.
#ifndef APPS_WEFT_OUTPUT_DRAWINGS_H_
#define APPS_WEFT_OUTPUT_DRAWINGS_H_

#include <cstdint>
#include <string>

#include "weft/core/files/read_files.h"
#include "weft/data/images/image.h"

namespace weft::app {

// Writes LINE_NAME.png into a folder, for the picture NAME of a line, and overwrites no picture
// that is read.
class Drawings {
 public:
  // Makes the folder, which `option` names. Throws FileError.
  Drawings(std::string option, std::string folder);

  // A picture that is read, now or later.
  void add_input(const std::string& picture);
  // No picture is read but those that were added. Until then, where a folder has pictures that are
  // read, its files are taken for such.
  void has_all_inputs() { has_all_inputs_ = true; }
  // Throws OptionError where the drawing would overwrite a picture that is read.
  void check(int64_t line, const std::string& picture) const;
  // Throws as check() does, and FileError.
  void write(int64_t line, const std::string& picture, const data::Image& drawing) const;

 private:
  std::string path_of(int64_t line, const std::string& picture) const;

  std::string option_, folder_;
  ReadFiles inputs_;
  bool has_all_inputs_ = false;
  bool has_inputs_ = false;  // the folder
};

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_DRAWINGS_H_
