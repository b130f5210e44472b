#include "apps/weft/output/picture_folder.h"

#include <filesystem>
#include <utility>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/data/images/png.h"

namespace weft::app {

PictureFolder::PictureFolder(std::string option, std::string folder, const ReadFiles& inputs)
    : option_(std::move(option)), folder_(std::move(folder)), inputs_(inputs) {
  make_folder(folder_);
}

std::string PictureFolder::path_of(const std::string& name) const {
  return (std::filesystem::path(folder_) / (name + ".png")).string();
}

void PictureFolder::check(const std::string& name) const {
  const std::string path = path_of(name);
  inputs_.check_output(option_, path);
  std::error_code none;
  if (has_all_inputs_ || !inputs_.has_in(folder_) || !std::filesystem::exists(path, none)) return;
  fail<OptionError>(option_,
                    "would overwrite {}, which may be an input: pictures of its folder are; "
                    "expected another folder",
                    path);
}

void PictureFolder::write(const std::string& name, const data::Image& picture) const {
  check(name);
  write_file(path_of(name), data::encode_png(picture));
}

}  // namespace weft::app
