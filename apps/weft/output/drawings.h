// The pictures that a command draws, one for each line of its input.
#ifndef APPS_WEFT_OUTPUT_DRAWINGS_H_
#define APPS_WEFT_OUTPUT_DRAWINGS_H_

#include <cstdint>
#include <string>

#include "apps/weft/output/picture_folder.h"
#include "weft/core/files/read_files.h"
#include "weft/data/images/image.h"

namespace weft::app {

// Writes LINE_NAME.png into a folder, for the picture NAME of a line, and overwrites no picture
// that is read.
class Drawings {
 public:
  // Makes the folder, which `option` names. Throws FileError.
  Drawings(std::string option, std::string folder);
  Drawings(const Drawings&) = delete;  // folder_ refers to inputs_
  Drawings& operator=(const Drawings&) = delete;

  // A picture that is read, now or later.
  void add_input(const std::string& picture) { inputs_.add(picture); }
  // No picture is read but those that were added.
  void has_all_inputs() { folder_.has_all_inputs(); }
  // Throws OptionError where the drawing would overwrite a picture that is read.
  void check(int64_t line, const std::string& picture) const;
  // Throws as check() does, and FileError.
  void write(int64_t line, const std::string& picture, const data::Image& drawing) const;

 private:
  ReadFiles inputs_;
  PictureFolder folder_;
};

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_DRAWINGS_H_
