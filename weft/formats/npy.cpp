#include "weft/formats/npy.h"

#include <fmt/core.h>

namespace weft::formats {
namespace {

constexpr size_t kHeaderBytes = 128;  // of every file here, so that it can be written at the end

}  // namespace

NpyWriter::NpyWriter(const std::string& path, std::string_view type, int64_t width)
    : file_(path), type_(type), width_(width) {
  file_.write(header(0));
}

std::string NpyWriter::header(int64_t rows) const {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                 type_, rows, width_);
  std::string out("\x93NUMPY\x01\x00", 8);
  const size_t size = kHeaderBytes - out.size() - 2;
  out += static_cast<char>(size);
  out += '\0';
  text.resize(size - 1, ' ');
  return out + text + "\n";
}

void NpyWriter::commit() {
  const auto row_bytes = static_cast<size_t>(width_) * static_cast<size_t>(type_.back() - '0');
  const std::string text = header(static_cast<int64_t>(bytes_ / row_bytes));
  file_.overwrite(0, text.data(), text.size());
  file_.commit();
}

}  // namespace weft::formats
