// The files of web/inspect, which the build puts into the program (cmake/web_pages.cmake).
#ifndef WEFT_INSPECT_WEB_FILES_H_
#define WEFT_INSPECT_WEB_FILES_H_

#include <string_view>

namespace weft::inspect {

// The text of a file, such as "style.css". Throws Error for another name.
std::string_view web_file(std::string_view name);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_WEB_FILES_H_
