#include "weft/formats/deflate.h"

#include <zlib.h>

#include "weft/core/error.h"

namespace weft::formats {

std::string deflate(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) fail<Error>("zlib", "compression failed with status {}", status);
  out.resize(size);
  return out;
}

}  // namespace weft::formats
