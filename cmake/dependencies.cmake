# Every library Weft stands on, by its Debian package in scripts/setup.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
add_library(weft_dnnl INTERFACE)
if(WEFT_ONEDNN)
  # By hand: Debian's config file asks for OpenCL, which Weft does not use.
  find_library(DNNL_LIBRARY dnnl REQUIRED)
  find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
  target_include_directories(weft_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
  # Of OpenMP only the functions of its library. Clang's passes for it take half of a compilation.
  find_package(OpenMP REQUIRED)
  target_link_libraries(weft_dnnl INTERFACE ${DNNL_LIBRARY} $<LINK_ONLY:OpenMP::OpenMP_CXX>)
endif()
# Its header alone, which is compiled into one file: no library to link.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(highway REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(sndfile REQUIRED IMPORTED_TARGET sndfile)
pkg_check_modules(soxr REQUIRED IMPORTED_TARGET soxr)
pkg_check_modules(kissfft REQUIRED IMPORTED_TARGET kissfft-float)
# It has functions of the names of POSIX's regcomp() and others, which mean something else: the C
# library comes before it, so that programs get those of the C library.
pkg_check_modules(oniguruma REQUIRED IMPORTED_TARGET oniguruma)
add_library(weft_oniguruma INTERFACE)
target_link_libraries(weft_oniguruma INTERFACE PkgConfig::oniguruma)
target_link_options(weft_oniguruma INTERFACE LINKER:--push-state,--no-as-needed,-lc,--pop-state)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
if(WEFT_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # its C functions only
  find_package(MPI COMPONENTS CXX)
endif()

set(weft_dependencies
    fmt::fmt yaml-cpp nlohmann_json::nlohmann_json weft_dnnl PkgConfig::highway
    PkgConfig::sentencepiece PkgConfig::sndfile PkgConfig::soxr PkgConfig::kissfft ZLIB::ZLIB
    PNG::PNG JPEG::JPEG pugixml::pugixml weft_oniguruma PkgConfig::utf8proc
    Threads::Threads)
set(program_dependencies spdlog::spdlog CLI11::CLI11)
if(WEFT_PORTABLE)
  include(cmake/portable.cmake)
endif()
