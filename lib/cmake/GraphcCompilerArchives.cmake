# graphc_compiler_archives: the static archives of MLIR, LLVM and lld, for whatever links the compiler half. Static,
# because the distribution's shared libraries cost 14 ms of relocation in every process and would clash with another
# LLVM in the user's program. Only what is used is taken from them.
file(GLOB mlirArchives "${LLVM_LIBRARY_DIR}/libMLIR*.a")
list(FILTER mlirArchives EXCLUDE REGEX "libMLIR(CAPI|.*Test|.*Python)")
file(GLOB llvmArchives "${LLVM_LIBRARY_DIR}/libLLVM*.a")
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
set(stubs "// Written by CMake: targets left out of this build, and Polly, which LLVM refers to but Debian does not package.\n")
string(APPEND stubs "namespace llvm { struct PassPluginLibraryInfo; }\n")
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target IN_LIST wantedTargets)
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
      string(APPEND stubs "extern \"C\" void LLVMInitialize${target}${part}() {}\n")
    endforeach()
  endif()
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/LeftOutTargets.cpp" CONTENT "${stubs}")
file(APPEND "${CMAKE_CURRENT_BINARY_DIR}/LeftOutTargets.cpp" "")
add_library(graphc_left_out_targets OBJECT "${CMAKE_CURRENT_BINARY_DIR}/LeftOutTargets.cpp")
set_target_properties(graphc_left_out_targets PROPERTIES CXX_VISIBILITY_PRESET hidden)

foreach(target IN LISTS wantedTargets)
  string(TOUPPER "${target}" upper)
  target_compile_definitions(graphc_compiler_usage INTERFACE GRAPHC_TARGET_${upper}=1)
endforeach()

add_library(graphc_compiler_archives INTERFACE)
target_link_libraries(graphc_compiler_archives INTERFACE
  lldELF lldCommon -Wl,--start-group ${mlirArchives} ${llvmArchives} -Wl,--end-group
  -Wl,--as-needed ${llvmSystemLibraries} -Wl,--no-as-needed)
target_link_options(graphc_compiler_archives INTERFACE -Wl,--gc-sections)
target_sources(graphc_compiler_archives INTERFACE $<TARGET_OBJECTS:graphc_left_out_targets>)
