# Flags and folders that hold for every target of the tree.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
# -fPIC by hand: CMake would compile programs with -fPIE, and they could not share the precompiled header.
add_compile_options(-fPIC)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set_property(GLOBAL PROPERTY USE_FOLDERS ON)

# The build tree has the layout of the installed one, so that libraries find each other the same way.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # False alarms in std::string's own code (GCC bug 105651) and in Abseil's InlinedVector.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()
if(GRAPHC_WERROR)
  add_compile_options(-Werror)
endif()
# Constant folding, the evaluator and compiled code must agree to the bit: no contraction that the source does not say.
add_compile_options(-ffp-contract=off)

# A library is needed by what uses it, not by everything: each one costs time at every start of a process.
add_link_options(-Wl,--as-needed)

if(GRAPHC_SANITIZE)
  add_compile_options(-fsanitize=${GRAPHC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GRAPHC_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # It reads a signature in front of every function that is called by pointer; compiled kernels have none there.
    add_compile_options(-fno-sanitize=function)
  endif()
endif()

find_program(GRAPHC_CCACHE ccache)
mark_as_advanced(GRAPHC_CCACHE)
if(GRAPHC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache needs to cache files that use a precompiled header.
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${GRAPHC_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# lld links the compiler half in a second; the default linker takes ten.
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld=")
  find_program(GRAPHC_LLD NAMES ld.lld ld.lld-22 HINTS /usr/lib/llvm-22/bin)
  mark_as_advanced(GRAPHC_LLD)
  if(GRAPHC_LLD)
    get_filename_component(lldFolder "${GRAPHC_LLD}" DIRECTORY)
    # What only runs before main stays together, as the default linker has it: pages of code cost time at the start.
    add_link_options(-fuse-ld=lld -B${lldFolder} -Wl,-z,keep-text-section-prefix)
  endif()
endif()
