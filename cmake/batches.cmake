# Headers and what they instantiate take most of the time of a compilation, so several sources are
# compiled together. As CMAKE_UNITY_BUILD, but with relative paths in the files that include them,
# so that a compiler cache serves every checkout.
set(WEFT_BATCH 32 CACHE STRING
    "The number of sources of a folder that are compiled together, in the library and the program")
set(WEFT_BATCH_TESTS 32 CACHE STRING "The same, in the tests")

# Sets `result` to files that include the given sources: up to `most` of them, of one folder such as
# weft/nn. So a name in an anonymous namespace can occur only once in such a folder.
function(batch_sources result most)
  if(most EQUAL 1)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(files "")
  set(last_folder "")
  foreach(source ${ARGN})
    file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
    string(REGEX MATCH "^[^/]+/[^/]+" folder ${source})
    if(NOT folder STREQUAL last_folder)
      set(number 0)
      set(size 0)
    elseif(size EQUAL most)
      math(EXPR number "${number} + 1")
      set(size 0)
    endif()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${folder}_${number}.cpp)
    list(APPEND files ${file})
    string(APPEND text_of_${file}
           "#include \"${source}\"  // NOLINT(bugprone-suspicious-include)\n")
    math(EXPR size "${size} + 1")
    set(last_folder ${folder})
  endforeach()
  list(REMOVE_DUPLICATES files)
  foreach(file ${files})
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_of_${file}}" @ONLY)
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()
