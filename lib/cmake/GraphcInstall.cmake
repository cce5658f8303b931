# What `cmake --install` lays down: the libraries side by side (libgraphc loads the others from its own folder), the
# public headers, and the package file for find_package(graphc 0.1 CONFIG). Users see Abseil and nothing of LLVM.
include(CMakePackageConfigHelpers)
set(packageFolder "${CMAKE_INSTALL_LIBDIR}/cmake/graphc")

install(TARGETS graphc EXPORT graphcTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
foreach(loaded graphc-compiler graphc-onnx graphc-zip graphc-lapack graphc-special)
  if(TARGET ${loaded})
    install(TARGETS ${loaded} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/graphc" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
install(EXPORT graphcTargets NAMESPACE graphc:: DESTINATION "${packageFolder}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/graphcConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/graphcConfig.cmake" INSTALL_DESTINATION "${packageFolder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/graphcConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/graphcConfig.cmake" "${PROJECT_BINARY_DIR}/graphcConfigVersion.cmake"
  DESTINATION "${packageFolder}")
