// NumPy's array files (.npy) of rows, written as they come.
#ifndef WEFT_FORMATS_NPY_H_
#define WEFT_FORMATS_NPY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weft/core/files/atomic_file.h"

namespace weft::formats {

// An array [rows, width]. It is complete or absent. Throws FileError.
class NpyWriter {
 public:
  // `type` as NumPy spells it, "<f4", "|i1" or "|u1".
  NpyWriter(const std::string& path, std::string_view type, int64_t width);

  // Whole rows.
  template <class T>
  void write(std::span<const T> numbers) {
    file_.write(numbers.data(), numbers.size_bytes());
    bytes_ += numbers.size_bytes();
  }
  void commit();

 private:
  std::string header(int64_t rows) const;

  AtomicFile file_;
  std::string type_;
  int64_t width_;
  size_t bytes_ = 0;
};

}  // namespace weft::formats

#endif  // WEFT_FORMATS_NPY_H_
