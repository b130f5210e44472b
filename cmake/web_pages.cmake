# Text files as a C++ source, so that the program carries its web pages: a function
# weft::inspect::web_file(name) of the files in web/inspect.
set(web_table "")
file(GLOB web_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/inspect/*)
foreach(file ${web_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND web_table "    {\"${name}\", R\"weft_text(${text})weft_text\"},\n")
endforeach()
set(web_source ${PROJECT_BINARY_DIR}/web_files.cpp)
file(CONFIGURE OUTPUT ${web_source} @ONLY CONTENT
"// Made by cmake/web_pages.cmake.
#include \"weft/inspect/web_files.h\"

#include <array>
#include <utility>

#include \"weft/core/error.h\"

namespace weft::inspect {

std::string_view web_file(std::string_view wanted) {
  static constexpr auto kFiles = std::to_array<std::pair<std::string_view, std::string_view>>({
@web_table@  });
  for (const auto& [name, text] : kFiles) {
    if (name == wanted) return text;
  }
  fail<Error>(\"web page\", \"no file {}\", wanted);
}

}  // namespace weft::inspect
")
