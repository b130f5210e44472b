# The program with its manual pages and the completion of shells, and Debian packages by CPack:
# weft, weft-mpi (the module that mpirun needs), libweft0.1 and libweft-dev.
set(manual_folder ${PROJECT_BINARY_DIR}/manual)
set(completion_folder ${PROJECT_BINARY_DIR}/completion)
set(shells bash zsh fish)
set(completions ${shells})
list(TRANSFORM completions PREPEND ${completion_folder}/weft.)
# Made by the program itself, when it is installed: most builds do without.
install(CODE "
  file(MAKE_DIRECTORY \"${completion_folder}\")
  execute_process(COMMAND \"$<TARGET_FILE:weft_program>\" manual --quiet -o \"${manual_folder}\"
                  COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB pages \"${manual_folder}/*.1\")
  execute_process(COMMAND gzip -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell ${shells})
    execute_process(COMMAND \"$<TARGET_FILE:weft_program>\" completion \${shell}
                    OUTPUT_FILE \"${completion_folder}/weft.\${shell}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()" COMPONENT Program)
install(DIRECTORY ${manual_folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT Program
        FILES_MATCHING PATTERN "*.1.gz")
install(FILES ${completion_folder}/weft.bash COMPONENT Program RENAME weft
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completion_folder}/weft.zsh COMPONENT Program RENAME _weft
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${completion_folder}/weft.fish COMPONENT Program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Debian asks for both in every package.
configure_file(LICENSE ${PROJECT_BINARY_DIR}/copyright COPYONLY)
execute_process(COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md
                OUTPUT_FILE ${PROJECT_BINARY_DIR}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
set(so_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(components Program Library Development)
if(MPI_CXX_FOUND)
  list(APPEND components Mpi)
endif()
set(package_of_Program weft)
set(package_of_Mpi weft-mpi)
set(package_of_Library libweft${so_version})
set(package_of_Development libweft-dev)
foreach(component ${components})
  install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_of_${component}}
          COMPONENT ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_of_${component}})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(WEFT_MAINTAINER "The Weft authors <authors@weft.invalid>" CACHE STRING
    "The maintainer of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${WEFT_MAINTAINER}")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "weft (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${package_of_Library} (= ${PROJECT_VERSION})")
# The linker's cache is made anew when the library is installed.
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
set(described " Weft trains, runs and looks inside Transformer models on the processor:
 translators, taggers, classifiers, transcribers of speech, detectors of
 objects, language models and embedders.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "train and run Transformer models (program)\n${described}")
set(CPACK_COMPONENT_MPI_DESCRIPTION "train and run Transformer models (MPI)\n${described}")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "train and run Transformer models (library)\n${described}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "train and run Transformer models (development)\n${described}")
include(CPack)
