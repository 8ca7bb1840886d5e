# How a library, a tool and a TableGen file of this project are added.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# One object library owns the precompiled header; every target reuses it.
if(FUSION_PCH)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # ccache makes the driver's own option relative to CCACHE_BASEDIR, CMake's -Xclang form not: clones share objects.
    set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
  endif()
  # What stands for the precompiled header in ccache's keys, since its bytes hold the folder's name.
  file(SHA256 ${PROJECT_SOURCE_DIR}/cmake/pch.h fusion_pch_sum)
  file(TIMESTAMP ${MLIR_DIR}/MLIRConfig.cmake fusion_mlir_time UTC)
  file(CONFIGURE OUTPUT CMakeFiles/fusion_pch.dir/cmake_pch.hxx${CMAKE_PCH_EXTENSION}.sum
    CONTENT "${fusion_pch_sum} ${LLVM_PACKAGE_VERSION} ${fusion_mlir_time} ${CMAKE_CXX_COMPILER_VERSION}\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/pch.h)
  if(NOT EXISTS ${PROJECT_BINARY_DIR}/fusion_pch.cpp)
    file(WRITE ${PROJECT_BINARY_DIR}/fusion_pch.cpp "")
  endif()
  add_library(fusion_pch OBJECT ${PROJECT_BINARY_DIR}/fusion_pch.cpp)
  llvm_update_compile_flags(fusion_pch)
  target_precompile_headers(fusion_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Without the time stamp ccache may reuse it.
    target_compile_options(fusion_pch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

function(fusion_compile_settings target)
  llvm_update_compile_flags(${target})
  add_dependencies(${target} fusion-headers)
  if(FUSION_PCH)
    target_precompile_headers(${target} REUSE_FROM fusion_pch)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
endfunction()

# Links MLIR's parts by name when static, else libMLIR.so and libLLVM.so, which hold them all.
function(fusion_link_mlir target)
  cmake_parse_arguments(ARG "" "" "MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  if(FUSION_STATIC)
    llvm_map_components_to_libnames(components ${ARG_LLVM_COMPONENTS})
    target_link_libraries(${target} PUBLIC ${ARG_MLIR_LIBS} ${components})
  else()
    target_link_libraries(${target} PUBLIC MLIR LLVM)
  endif()
endfunction()

# add_fusion_library(FusionX file.cpp… LINK_LIBS ours… MLIR_LIBS theirs… LLVM_COMPONENTS …)
function(add_fusion_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  fusion_compile_settings(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  fusion_link_mlir(${name} MLIR_LIBS ${ARG_MLIR_LIBS} LLVM_COMPONENTS ${ARG_LLVM_COMPONENTS})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:include>)
  set_property(GLOBAL APPEND PROPERTY FUSION_LIBS ${name})
endfunction()

# add_fusion_tool(name file.cpp… LINK_LIBS …)
function(add_fusion_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  fusion_compile_settings(${name})
  # Debian's libMLIR.so is in no folder that the loader knows.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH_USE_LINK_PATH ON)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  fusion_link_mlir(${name} MLIR_LIBS ${ARG_MLIR_LIBS} LLVM_COMPONENTS ${ARG_LLVM_COMPONENTS})
  if(FUSION_STATIC)
    target_link_options(${name} PRIVATE -Wl,--gc-sections -Wl,--strip-all)
  else()
    # Plug-ins resolve MLIR's and our symbols in the tool.
    set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  endif()
endfunction()

# fusion_tablegen(Passes.td Passes.h.inc -gen-pass-decls -name FusionTransforms …): generates beside the headers.
function(fusion_tablegen td out)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${out} ${ARGN})
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
endfunction()
