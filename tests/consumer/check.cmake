# Configures the project beside this file and reads how it would be compiled: Weft gives its
# main.cpp paths and definitions, and no flag for warnings, code generation or sanitizers; the
# sources of Weft are compiled in batches.
#
#   cmake -DWEFT=... -DFOLDER=... -DGENERATOR=... -DCOMPILER=... -P check.cmake
file(REMOVE_RECURSE ${FOLDER})
unset(ENV{CXXFLAGS})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${FOLDER} -G ${GENERATOR}
                        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE= -DWEFT=${WEFT}
                        -DWEFT_SANITIZE=undefined -DWEFT_WERROR=ON
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FOLDER}/compile_commands.json entries)
string(JSON count LENGTH "${entries}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON path GET "${entries}" ${i} file)
  if(path STREQUAL "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
    string(JSON command GET "${entries}" ${i} command)
  elseif(path MATCHES "^${WEFT}/weft/nn/")
    message(FATAL_ERROR "${path} is compiled alone")
  endif()
endforeach()
if(NOT command)
  message(FATAL_ERROR "no main.cpp in ${FOLDER}/compile_commands.json")
endif()
separate_arguments(arguments UNIX_COMMAND "${command}")
set(flags ${arguments})
list(FILTER flags INCLUDE REGEX "^-[WfmOg]")
if(flags)
  message(FATAL_ERROR "Weft makes those who link it compile with ${flags}")
endif()
