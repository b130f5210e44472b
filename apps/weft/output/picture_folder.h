// A folder that a command writes pictures to.
#ifndef APPS_WEFT_OUTPUT_PICTURE_FOLDER_H_
#define APPS_WEFT_OUTPUT_PICTURE_FOLDER_H_

#include <string>

#include "weft/core/files/read_files.h"
#include "weft/data/images/image.h"

namespace weft::app {

// Writes PNG files, over none that is read.
class PictureFolder {
 public:
  // Makes the folder, which `option` names. Throws FileError.
  PictureFolder(std::string option, std::string folder, const ReadFiles& inputs);

  // No file is read but the inputs so far. Until then, where the folder has one of them, all of its
  // files are taken for such.
  void has_all_inputs() { has_all_inputs_ = true; }
  // Throws OptionError where the picture NAME.png would overwrite a file that is read.
  void check(const std::string& name) const;
  // Throws as check() does, and FileError.
  void write(const std::string& name, const data::Image& picture) const;

 private:
  std::string path_of(const std::string& name) const;

  std::string option_, folder_;
  const ReadFiles& inputs_;
  bool has_all_inputs_ = false;
};

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_PICTURE_FOLDER_H_
