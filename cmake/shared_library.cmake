# The shared library libweft with its headers, as find_package(weft) and pkg-config find it.
include(CMakePackageConfigHelpers)

file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/weft/*.h)
add_library(weft_shared SHARED ${PROJECT_SOURCE_DIR}/bindings/c/weft_c.cpp)
target_link_libraries(weft_shared PRIVATE weft_flags $<LINK_LIBRARY:WHOLE_ARCHIVE,weft>)
target_include_directories(weft_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<INSTALL_INTERFACE:include>)
target_compile_features(weft_shared INTERFACE cxx_std_20)
# Those who link it need none of what it stands on. Names of the templates of libraries stay inside.
set(symbols ${PROJECT_SOURCE_DIR}/cmake/package/symbols.map)
target_link_options(weft_shared PRIVATE -Wl,--version-script=${symbols} -Wl,--no-undefined)
set_target_properties(weft_shared PROPERTIES
  OUTPUT_NAME weft
  EXPORT_NAME weft
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${symbols})
add_library(weft::weft ALIAS weft_shared)

install(TARGETS weft_shared EXPORT weft_targets LIBRARY COMPONENT Library
        NAMELINK_COMPONENT Development)
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft COMPONENT Development)
install(FILES bindings/c/weft_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Development)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weft_targets FILE weft-config.cmake NAMESPACE weft:: DESTINATION ${package_folder}
        COMPONENT Development)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
# Wherever it is installed.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/package/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft-config-version.cmake DESTINATION ${package_folder}
        COMPONENT Development)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT Development)
