#include "apps/weft/output/drawings.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace weft::app {
namespace {

// The longest beginning of `text` in whole code points that has at most `bytes` bytes.
std::string cut(std::string text, size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (bytes > 0 && continues(text[bytes])) --bytes;
  text.resize(bytes);
  return text;
}

// "12_NAME"
std::string name_of(int64_t line, const std::string& picture) {
  // While it is written, the name of a file ends in .partial; systems allow 255 bytes.
  constexpr size_t kMostBytes = 255 - std::string_view(".png.partial").size();
  return cut(fmt::format("{}_{}", line, std::filesystem::path(picture).stem().string()),
             kMostBytes);
}

}  // namespace

Drawings::Drawings(std::string option, std::string folder)
    : folder_(std::move(option), std::move(folder), inputs_) {}

void Drawings::check(int64_t line, const std::string& picture) const {
  folder_.check(name_of(line, picture));
}

void Drawings::write(int64_t line, const std::string& picture, const data::Image& drawing) const {
  folder_.write(name_of(line, picture), drawing);
}

}  // namespace weft::app
