# graphc_compiler_archives: the static archives of MLIR, LLVM and lld, for whatever links the compiler half. Static,
# because the distribution's shared libraries cost 14 ms of relocation in every process and would clash with another
# LLVM in the user's program. Only what is used is taken from them.
file(GLOB mlirArchives "${LLVM_LIBRARY_DIR}/libMLIR*.a")
list(FILTER mlirArchives EXCLUDE REGEX "libMLIR(CAPI|.*Test|.*Python)")
file(GLOB llvmArchives "${LLVM_LIBRARY_DIR}/libLLVM*.a")
# By path: lld's imported targets would bring the shared libLLVM along.
set(lldArchives "${LLVM_LIBRARY_DIR}/liblldELF.a" "${LLVM_LIBRARY_DIR}/liblldCommon.a")
if(NOT mlirArchives OR NOT llvmArchives)
  message(FATAL_ERROR "the static archives of MLIR and LLVM are missing from ${LLVM_LIBRARY_DIR}")
endif()
execute_process(COMMAND "${LLVM_TOOLS_BINARY_DIR}/llvm-config" --link-static --system-libs
  OUTPUT_VARIABLE llvmSystemLibraries OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvmSystemLibraries UNIX_COMMAND "${llvmSystemLibraries}")

# The processors: lld and the target registry refer to the initialisers of every target LLVM was built with. For the
# targets that graphc does not make code for, empty ones are defined, and their code generators stay in the archives.
set(wantedTargets "")
foreach(target IN LISTS GRAPHC_TARGETS)
  if(target STREQUAL "host")
    set(target "${CMAKE_SYSTEM_PROCESSOR}")
  endif()
  if(target MATCHES "^(x86|x86_64|amd64|AMD64)$")
    list(APPEND wantedTargets X86)
  elseif(target MATCHES "^(aarch64|arm64)$")
    list(APPEND wantedTargets AArch64)
  else()
    message(FATAL_ERROR "GRAPHC_TARGETS: unknown processor '${target}'")
  endif()
endforeach()
list(REMOVE_DUPLICATES wantedTargets)
set(stubs "// Written by CMake: the targets that this build leaves out.\n")
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target IN_LIST wantedTargets)
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
      string(APPEND stubs "extern \"C\" void LLVMInitialize${target}${part}() {}\n")
    endforeach()
  endif()
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/LeftOutTargets.cpp" CONTENT "${stubs}")
add_library(graphc_left_out OBJECT
  "${CMAKE_CURRENT_BINARY_DIR}/LeftOutTargets.cpp" "${CMAKE_CURRENT_LIST_DIR}/WithoutPolly.cpp")
target_link_libraries(graphc_left_out PRIVATE graphc_compiler_usage)
set_target_properties(graphc_left_out PROPERTIES CXX_VISIBILITY_PRESET hidden)

foreach(target IN LISTS wantedTargets)
  string(TOUPPER "${target}" upper)
  target_compile_definitions(graphc_compiler_usage INTERFACE GRAPHC_TARGET_${upper}=1)
endforeach()

# One linker script instead of seven hundred archives in every link command.
list(JOIN lldArchives "\n" lldLines)
list(JOIN mlirArchives "\n" mlirLines)
list(JOIN llvmArchives "\n" llvmLines)
set(archiveScript "${CMAKE_CURRENT_BINARY_DIR}/llvm-archives.ld")
file(CONFIGURE OUTPUT "${archiveScript}" CONTENT "GROUP (\n${lldLines}\n${mlirLines}\n${llvmLines}\n)\n")
add_library(graphc_compiler_archives INTERFACE)
target_link_libraries(graphc_compiler_archives INTERFACE "${archiveScript}" ${llvmSystemLibraries})
# Distributions leave some debug information in the archives; in a release it would be a tenth of the library.
target_link_options(graphc_compiler_archives INTERFACE -Wl,--gc-sections $<$<CONFIG:Release>:-Wl,--strip-debug>)
target_sources(graphc_compiler_archives INTERFACE $<TARGET_OBJECTS:graphc_left_out>)
