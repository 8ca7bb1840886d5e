# Installs headers (generated ones too), libraries, tools and the CMake package FusionDialect.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
get_property(fusion_libs GLOBAL PROPERTY FUSION_LIBS)
set(fusion_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/FusionDialect)

install(TARGETS ${fusion_libs} EXPORT FusionDialectTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS mlir-fusion mlir-fusion-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/FusionDialect ${PROJECT_BINARY_DIR}/include/FusionDialect
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(EXPORT FusionDialectTargets DESTINATION ${fusion_package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/FusionDialectConfig.cmake.in
  ${PROJECT_BINARY_DIR}/FusionDialectConfig.cmake INSTALL_DESTINATION ${fusion_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FusionDialectConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FusionDialectConfig.cmake
  ${PROJECT_BINARY_DIR}/FusionDialectConfigVersion.cmake DESTINATION ${fusion_package_dir})
