#include "apps/weft/output/drawings.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/text/utf8.h"
#include "weft/data/images/png.h"

namespace weft::app {
namespace {

namespace fs = std::filesystem;

// The longest beginning of `text` in whole code points that has at most `bytes` bytes.
std::string cut(std::string text, size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (bytes > 0 && continues(text[bytes])) --bytes;
  text.resize(bytes);
  return text;
}

}  // namespace

Drawings::Drawings(std::string option, std::string folder)
    : option_(std::move(option)), folder_(std::move(folder)) {
  make_folder(folder_);
}

void Drawings::add_input(const std::string& picture) {
  inputs_.add(picture);
  const fs::path parent = fs::path(picture).parent_path();
  std::error_code none;
  has_inputs_ = has_inputs_ || fs::equivalent(parent.empty() ? "." : parent, folder_, none);
}

std::string Drawings::path_of(int64_t line, const std::string& picture) const {
  // While it is written, the name of a file ends in .partial; systems allow 255 bytes.
  constexpr size_t kMostBytes = 255 - std::string_view(".png.partial").size();
  const std::string name = fmt::format("{}_{}", line, fs::path(picture).stem().string());
  return (fs::path(folder_) / (cut(name, kMostBytes) + ".png")).string();
}

void Drawings::check(int64_t line, const std::string& picture) const {
  const std::string path = path_of(line, picture);
  inputs_.check_output(option_, path);
  std::error_code none;
  if (has_all_inputs_ || !has_inputs_ || !fs::exists(path, none)) return;
  fail<OptionError>(option_,
                    "would overwrite {}, which may be an input: pictures of its folder are; "
                    "expected another folder",
                    path);
}

void Drawings::write(int64_t line, const std::string& picture, const data::Image& drawing) const {
  check(line, picture);
  write_file(path_of(line, picture), data::encode_png(drawing));
}

}  // namespace weft::app
