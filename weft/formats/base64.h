// Bytes as text (RFC 4648, section 4), for data inside JSON and HTML.
#ifndef WEFT_FORMATS_BASE64_H_
#define WEFT_FORMATS_BASE64_H_

#include <string>
#include <string_view>

namespace weft::formats {

std::string base64(std::string_view bytes);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_BASE64_H_
