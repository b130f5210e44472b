# Links every dependency as a static library, with the headers of Debian's packages. The files come
# from scripts/static-libraries, or from Debian where its own have position-independent code.
set(WEFT_STATIC_LIBRARIES ${PROJECT_SOURCE_DIR}/build/static CACHE PATH
    "Where scripts/static-libraries has put its libraries")

# The name of the static twin of a target.
function(name_of_twin target result)
  string(REGEX REPLACE "^(.*::|weft_)" "" name ${target})
  set(${result} weft_static_${name} PARENT_SCOPE)
endfunction()

# static_twin(TARGET NAME... [LINKS TARGET...]): a target with the headers and definitions of a
# found one, which links the files libNAME.a, and other targets.
function(static_twin target)
  cmake_parse_arguments(PARSE_ARGV 1 static "" "" LINKS)
  name_of_twin(${target} twin)
  add_library(${twin} INTERFACE)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    set(value $<TARGET_PROPERTY:${target},INTERFACE_${property}>)
    if(property STREQUAL "INCLUDE_DIRECTORIES")
      target_include_directories(${twin} SYSTEM INTERFACE ${value})
    else()
      target_compile_definitions(${twin} INTERFACE ${value})
    endif()
  endforeach()
  foreach(name ${static_UNPARSED_ARGUMENTS})
    find_library(WEFT_STATIC_${name} lib${name}.a HINTS ${WEFT_STATIC_LIBRARIES}/lib)
    if(NOT WEFT_STATIC_${name})
      message(FATAL_ERROR "WEFT_PORTABLE: expected lib${name}.a in ${WEFT_STATIC_LIBRARIES}/lib; "
                          "scripts/static-libraries builds it")
    endif()
    target_link_libraries(${twin} INTERFACE ${WEFT_STATIC_${name}})
  endforeach()
  target_link_libraries(${twin} INTERFACE ${static_LINKS})
endfunction()

static_twin(fmt::fmt fmt)
static_twin(yaml-cpp yaml-cpp)
static_twin(PkgConfig::highway hwy)
static_twin(PkgConfig::sentencepiece sentencepiece_train sentencepiece)
static_twin(PkgConfig::sndfile sndfile FLAC vorbisenc vorbis ogg opus mpg123 mp3lame)
static_twin(PkgConfig::soxr soxr)
static_twin(PkgConfig::kissfft kissfft-float)
static_twin(ZLIB::ZLIB z)
static_twin(PNG::PNG png16 LINKS weft_static_ZLIB)
static_twin(JPEG::JPEG jpeg)
static_twin(pugixml::pugixml pugixml)
static_twin(PkgConfig::oniguruma onig)
static_twin(PkgConfig::utf8proc utf8proc)
static_twin(spdlog::spdlog spdlog LINKS weft_static_fmt)

foreach(list weft_dependencies program_dependencies)
  set(twins "")
  foreach(target ${${list}})
    name_of_twin(${target} twin)
    if(TARGET ${twin})
      list(APPEND twins ${twin})
    else()
      list(APPEND twins ${target})  # headers alone, or of the C library
    endif()
  endforeach()
  set(${list} ${twins})
endforeach()
