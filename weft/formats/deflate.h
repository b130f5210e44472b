// Compression of bytes in memory as a zlib stream (RFC 1950), which browsers read too.
#ifndef WEFT_FORMATS_DEFLATE_H_
#define WEFT_FORMATS_DEFLATE_H_

#include <string>
#include <string_view>

namespace weft::formats {

// At zlib's default level: the highest takes over three times as long for matrices of attention and
// saves 2 %. The output is a function of the bytes and the version of zlib.
std::string deflate(std::string_view bytes);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_DEFLATE_H_
