# Finds the packaged LLVM/MLIR 22.1 and sets up its CMake functions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Debian keeps its LLVM outside CMake's default prefix.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR CONFIG QUIET)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR "mlir-fusion needs LLVM/MLIR 22.1 and found none. "
    "Install libmlir-22-dev mlir-22-tools llvm-22-dev, or set MLIR_DIR.")
endif()
# MLIR's own version file only knows LLVM's number.
if(NOT LLVM_PACKAGE_VERSION MATCHES "^22\\.1(\\.|$)")
  message(FATAL_ERROR "mlir-fusion needs LLVM/MLIR 22.1, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}. "
    "Set MLIR_DIR to the lib/cmake/mlir of an LLVM 22.1.")
endif()
message(STATUS "LLVM/MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")

if(FUSION_STATIC)
  set(MLIR_LINK_MLIR_DYLIB OFF)
  if(NOT TARGET zstd::libzstd_shared)
    message(FATAL_ERROR "FUSION_STATIC needs libzstd-dev libcurl4-openssl-dev libedit-dev")
  endif()
  # Debian's archives of MLIR name libLLVM.so, and some libMLIR.so: they get LLVM's archives instead.
  add_library(fusion_llvm_archives INTERFACE)
  set(fusion_llvm_components Core FrontendOffloading FrontendOpenMP IRReader Linker MC OrcJIT Passes Remarks Support
    Target TargetParser)
  foreach(machine ${LLVM_TARGETS_TO_BUILD}) # MLIR initializes them all
    foreach(part AsmParser CodeGen Desc Disassembler Info)
      list(APPEND fusion_llvm_components ${machine}${part})
    endforeach()
  endforeach()
  foreach(component ${fusion_llvm_components})
    if(TARGET LLVM${component})
      target_link_libraries(fusion_llvm_archives INTERFACE LLVM${component})
    endif()
  endforeach()
  foreach(archive ${MLIR_EXPORTED_TARGETS})
    get_target_property(needed ${archive} INTERFACE_LINK_LIBRARIES)
    if(needed)
      list(TRANSFORM needed REPLACE "^(.<LINK_ONLY:)?LLVM>?$" fusion_llvm_archives)
      list(FILTER needed EXCLUDE REGEX "^MLIR$")
      set_target_properties(${archive} PROPERTIES INTERFACE_LINK_LIBRARIES "${needed}")
    endif()
  endforeach()
else()
  set(MLIR_LINK_MLIR_DYLIB ON) # MLIRConfig.cmake leaves it unset
endif()
set(LLVM_RUNTIME_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/lib)
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR})
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)
separate_arguments(fusion_llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${fusion_llvm_definitions})
if(FUSION_WERROR)
  add_compile_options(-Werror)
endif()
if(FUSION_SANITIZE)
  # A finding ends the process, so that its test fails.
  add_compile_options(-fsanitize=${FUSION_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -gline-tables-only)
  add_link_options(-fsanitize=${FUSION_SANITIZE})
endif()
if(FUSION_COVERAGE)
  add_link_options(-fprofile-instr-generate) # lib/CMakeLists.txt says what is counted
endif()
